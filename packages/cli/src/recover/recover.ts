// `action-ledger recover`: what a ledger that went back in time lacks, and a person's word for it.
import { confirmRecovery, surveyGap } from '@action-ledger/application';
import { type EventStore } from '@action-ledger/event-store';
import { openSqliteEventStore, type SqliteEventStore } from '@action-ledger/event-store-sqlite';
import { type Cli } from '../cli.ts';
import { usageError } from '../cli-error.ts';
import { dateTime, isoTime } from '../format/time.ts';
import { ledgerPath, pathSuffix, type PathOption } from '../ledger-file/ledger-path.ts';
import { readLedger } from '../ledger-file/read-ledger.ts';
import { sha256 } from '../sha256.ts';
import { findLoss, lostActions, viewsBeside } from './find-loss.ts';
import { lossJson, lossText } from './print-loss.ts';
import { withStore } from './recover-store.ts';

export interface RecoverCommand extends PathOption {
  /** Not a file: the EventStoreDB at this address, or, true, of the environment. */
  readonly store?: string | true;
  readonly tools?: string;
  readonly confirm?: boolean;
  readonly by?: string;
  readonly reason?: string;
  readonly nothingLost?: boolean;
  readonly json?: boolean;
}

export async function recover(cli: Cli, options: RecoverCommand): Promise<void> {
  const { confirm, by, reason, nothingLost, store: address, path: file } = options;
  if (address !== undefined && file !== undefined)
    throw usageError('--store and --path name two ledgers', 'name one of them.');
  if (confirm === true) {
    await confirmNow(cli, options);
    return;
  }
  if (by !== undefined || reason !== undefined || nothingLost === true)
    throw usageError('--by, --reason and --nothing-lost go with --confirm', 'say --confirm too.');
  if (address === undefined)
    await readLedger(cli.io, options, (store, path) =>
      list(cli, options, { store, name: path, suffix: pathSuffix(cli.io, path) }),
    );
  else
    await withStore(cli.io, address, (store, name) =>
      list(cli, options, { store, name, suffix: storeSuffix(address) }),
    );
}

interface Listed {
  readonly store: EventStore | SqliteEventStore;
  readonly name: string;
  /** With which it is named to the command line. */
  readonly suffix: string;
}

function storeSuffix(address: string | true): string {
  return address === true ? ' --store' : ' --store ADDRESS';
}

async function list(
  cli: Cli,
  { tools, json, store: address }: RecoverCommand,
  { store, name, suffix }: Listed,
): Promise<void> {
  const seen = address === undefined ? viewsBeside(name) : undefined;
  const loss = await findLoss(cli, store, seen, tools);
  if (json === true) cli.json(lossJson(name, loss));
  else cli.io.out(lossText(cli, name, loss, suffix));
  if (loss.gap.condition.kind === 'recovering') cli.end(1);
}

async function confirmNow(cli: Cli, options: RecoverCommand): Promise<void> {
  const { by = '', reason = '', store: address } = options;
  if (by.trim() === '' || reason.trim() === '')
    throw usageError(
      'a recovery is confirmed by a person, with a reason',
      'say --by NAME and --reason "what was found out".',
    );
  const said = { ...options, by, reason };
  if (address !== undefined) {
    await withStore(cli.io, address, (store, name) => confirmIn(cli, store, name, said));
    return;
  }
  const path = ledgerPath(cli.io, options);
  // There is a file, and a ledger's: opening for writing would make one.
  const lost = await readLedger(cli.io, options, lostIn);
  const store = await openSqliteEventStore({ path, runtime: cli.io.runtime });
  try {
    await confirmIn(cli, store, path, { ...said, lost });
  } finally {
    await store.close();
  }
}

interface Said extends Pick<RecoverCommand, 'nothingLost' | 'json'> {
  readonly by: string;
  readonly reason: string;
  readonly lost?: readonly string[];
}

async function confirmIn(
  cli: Cli,
  store: EventStore,
  path: string,
  { by, reason, nothingLost = false, lost = [], json }: Said,
): Promise<void> {
  const { runtime } = cli.io;
  const confirmed = await confirmRecovery(
    { store, runtime, sha256 },
    { by, reason, nothingLost, lost },
  );
  if (json === true) {
    const known = confirmed === undefined ? {} : { knownUntil: isoTime(confirmed.gap.knownUntil) };
    cli.json({ path, condition: 'ready', recovery: confirmed?.recovery ?? null, ...known });
    return;
  }
  if (confirmed === undefined) {
    cli.io.out(`${path} is not recovering: nothing was recorded.\n`);
    return;
  }
  const doubt = nothingLost
    ? 'Nothing is in doubt for it.'
    : `What may have been done after ${dateTime(confirmed.gap.knownUntil)} UTC is in doubt: it is looked up, sent again where that is safe, or waits for a person.`;
  cli.io.out(
    `${cli.style.good('Ready.')} ${by} is on record for it in ${confirmed.recovery}.\n${doubt}\n`,
  );
}

/** Those that are listed as missing. */
async function lostIn(store: SqliteEventStore, path: string): Promise<readonly string[]> {
  if (store.condition().kind === 'ready') return [];
  const { endedAt } = await surveyGap(store);
  return (await lostActions(store, viewsBeside(path), endedAt)).actions.map(({ action }) => action);
}
