// The auditor over the ledger of this process. What is damaged the ledger puts into quarantine; the views
// beside the file are compared with the streams; breaches are counted and printed.
import { hash } from 'node:crypto';
import { type BrokenRecord, createLedgerClock } from '@action-ledger/application';
import { type Auditor, createAuditor } from '@action-ledger/auditor';
import { type Ledger, viewsPathOf } from '@action-ledger/client';
import { actionOfStream } from '@action-ledger/domain';
import { type EmbeddedEventLog } from '@action-ledger/event-log-embedded';
import { type Logger } from '@action-ledger/gateway';
import { compareViews, foldThrough } from '@action-ledger/read-models';
import { type Runtime } from '@action-ledger/runtime';
import { type Metering } from './metering.ts';

/** Most actions end within it: then their stream is checked once, and not after each event. */
const lingerMs = 500;

export interface AuditingDeps {
  /** Of the ledger's file. */
  readonly path: string;
  readonly ledger: Ledger;
  readonly log: EmbeddedEventLog;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly metering: Metering | undefined;
}

export async function openAuditor(deps: AuditingDeps): Promise<Auditor> {
  const { ledger, log, runtime, logger, metering } = deps;
  const auditor = createAuditor({
    log,
    lingerMs,
    store: ledger.store,
    runtime,
    sha256: (text) => hash('sha256', text, 'base64url'),
    clock: createLedgerClock(runtime.clock),
    ownerOfExternalId: (...named) => ledger.ownerOfExternalId(...named),
    quarantine: (actionId) => isDamaged(ledger, actionId),
    compareProjections: (rest) => compareWithViews(deps, rest),
    onBroken: ({ invariant }) => metering?.broken(invariant),
    onFault: (where, fault) => {
      logger.error({ fault }, `audit: ${where}`);
    },
  });
  await auditor.start();
  return auditor;
}

/** Whoever loads a damaged stream puts it into quarantine. */
async function isDamaged(ledger: Ledger, actionId: string): Promise<boolean> {
  return (await ledger.load(actionId)).kind === 'broken';
}

async function* compareWithViews(
  { path, ledger }: AuditingDeps,
  rest: () => Promise<void>,
): AsyncGenerator<BrokenRecord> {
  const fold = async (actionId: string, through: number) => {
    await rest();
    return foldThrough(ledger.store, actionId, through).catch(() => undefined);
  };
  for await (const breach of compareViews({ path: viewsPathOf(path), fold })) {
    const actionId = actionOfStream(breach.stream);
    // That it is damaged is told by its quarantine.
    if (actionId === undefined || !(await isDamaged(ledger, actionId))) yield breach;
  }
}
