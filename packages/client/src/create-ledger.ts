// The ledger of a program: embedded, one process and one SQLite file, or the one of another process at a URL.
// Tools become functions that can be called any number of times for one logical action and act at most once.
import { hash } from 'node:crypto';
import {
  type Core,
  type Crew,
  type Duty,
  type EvidenceRequest,
  type Ledger as LedgerCore,
  type ObservedFilter,
  type ObservedReport,
  openCore,
  type Proposal,
  type Reported,
  safeOnFault,
  type WaitingReport,
} from '@action-ledger/application';
import { createMemoryEventStore, type EventStore } from '@action-ledger/event-store';
import { openSqliteEventStore } from '@action-ledger/event-store-sqlite';
import { createSystemRuntime, type Runtime } from '@action-ledger/runtime';
import { createToolSet, isTool, type ToolSet, type TypedTool } from '@action-ledger/tools';
import {
  type AnyTool,
  type CreateLedgerOptions,
  type ObserveScope,
} from './create-ledger-options.ts';
import { checkOptions } from './check-options.ts';
import { LedgerError } from './ledger-error.ts';
import { type CallContext, type LedgerTool } from './ledger-tool.ts';
import { openIndex, type OpenIndex } from './open-index.ts';
import { createSecretDigest } from './secret-digest.ts';
import { openRemoteLedger, type RemoteLedger } from './remote/remote-ledger.ts';
import { isRemote, type RemoteLedgerOptions, type RemoteTools } from './remote/remote-options.ts';
import { type Openness, whileOpen } from './while-open.ts';
import {
  ledgerWorkflows,
  type LedgerWorkflows,
  runWorkflow,
  type WorkflowOptions,
  type WorkflowOutcome,
  type WorkflowProgram,
} from './workflow.ts';

type ToolOf<Declared> =
  Declared extends TypedTool<infer Args, infer Result> ? LedgerTool<Args, Result> : LedgerTool;

export interface Ledger<
  Tools extends Readonly<Record<string, AnyTool>> = Readonly<Record<string, AnyTool>>,
> extends Omit<LedgerCore, 'close' | 'workflows' | 'reportAbout' | 'waitingReports' | 'observed'> {
  readonly tools: { readonly [Name in keyof Tools]: ToolOf<Tools[Name]> };
  /** The callable form of a declared tool, with its types. */
  tool<Args, Result>(tool: TypedTool<Args, Result>): LedgerTool<Args, Result>;
  /**
   * Runs a program whose tool calls are steps: recorded with how each is undone before it is sent. With
   * the same id (or run) it goes on where it was, and gets what is on record.
   */
  workflow<Result>(
    options: WorkflowOptions,
    program: WorkflowProgram<Result>,
  ): Promise<WorkflowOutcome<Result>>;
  readonly workflows: LedgerWorkflows;
  /**
   * A report by what its provider knows the action by: the downstream key, a reference, or the provider's
   * own id. What matches no action yet waits for it, for seven days.
   * @throws StoreFault
   */
  reportAbout(request: OfTenant<EvidenceRequest>): Promise<Reported>;
  /** Reports that match no action yet, oldest first. Default tenant: the ledger's. */
  waitingReports(tenant?: string): readonly WaitingReport[];
  /** What was only observed, of all tenants unless one is named, and what the ledger would have done. */
  observed(filter?: Partial<ObservedFilter>): ObservedReport;
  readonly store: EventStore;
  /**
   * Takes nothing new, waits for what runs (at most `drainMs`, default 30 s), closes the file. Whatever
   * is asked after it rejects with LedgerError `ledger.closed`.
   */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

type OfTenant<Request> = Omit<Request, 'tenant'> & { readonly tenant?: string };

/**
 * With a `url` the ledger of another process, over HTTP; else one in this process.
 * @throws LedgerError `ledger.options` an option is unknown or malformed
 * @throws ToolDeclarationError two tools of one name, an undoer that is missing
 * @throws RegistrationRefused a tool's identity changed without a new identityVersion
 * @throws StoreFault the file cannot be opened: held by another process, damaged, of a newer format
 */
export async function createLedger<Tools extends RemoteTools = RemoteTools>(
  options: RemoteLedgerOptions<Tools>,
): Promise<RemoteLedger<Tools>>;
export async function createLedger<Tools extends Readonly<Record<string, AnyTool>>>(
  options: CreateLedgerOptions<Tools>,
): Promise<Ledger<Tools>>;
export async function createLedger<Tools extends Readonly<Record<string, AnyTool>>>(
  options: CreateLedgerOptions<Tools> | RemoteLedgerOptions<Tools>,
): Promise<Ledger<Tools> | RemoteLedger<Tools>> {
  return isRemote(options) ? openRemoteLedger(options) : openEmbedded(options);
}

async function openEmbedded<Tools extends Readonly<Record<string, AnyTool>>>(
  options: CreateLedgerOptions<Tools>,
): Promise<Ledger<Tools>> {
  return (await composeLedger(options)).ledger;
}

/** For a composition in which services take up the duties. */
export interface CompositionOptions {
  /** What the ledger does by itself from the start. Default: everything. */
  readonly duties?: readonly Duty[];
  readonly crew?: Crew;
}

export interface ComposedLedger<Tools extends Readonly<Record<string, AnyTool>>> {
  readonly ledger: Ledger<Tools>;
  /** What services act on. */
  readonly core: Core;
}

/** As `createLedger`. */
export async function composeLedger<Tools extends Readonly<Record<string, AnyTool>>>(
  options: CreateLedgerOptions<Tools>,
  composition: CompositionOptions = {},
): Promise<ComposedLedger<Tools>> {
  checkOptions(options);
  const runtime = options.runtime ?? createSystemRuntime();
  const tools = createToolSet(Object.values(options.tools));
  const store = options.store ?? (await openStore(options.path, runtime));
  let opened: OpenIndex | undefined;
  try {
    opened = await openIndex({
      path: options.store === undefined ? options.path : undefined,
      store,
      runtime,
      tools,
      onFault: safeOnFault(options.onFault),
    });
    const { index, addSideEntries } = opened;
    const core = await openCore({
      store,
      runtime,
      tools,
      index,
      sha256: (text) => hash('sha256', text, 'base64url'),
      digestSecret: createSecretDigest(options.path, tools),
      ...picked(options),
      ...composition,
      onSideEntries: (entries) => {
        addSideEntries(entries);
        return options.onSideEntries?.(entries);
      },
    });
    const ledger = face(options, tools, withEarlierSides(core.ledger, opened), store);
    return { ledger, core };
  } catch (error) {
    await opened?.index.close();
    await store.close();
    throw error;
  }
}

type PassedOn =
  | 'onNotice'
  | 'onFault'
  | 'onPoint'
  | 'isPaused'
  | 'observes'
  | 'pauseOnBurst'
  | 'duties'
  | 'slotsMax'
  | 'sweepMs'
  | 'watch';

function picked<Tools extends Readonly<Record<string, AnyTool>>>(
  options: CreateLedgerOptions<Tools>,
): Pick<Parameters<typeof openCore>[0], PassedOn> {
  const { onNotice, onFault, onPoint, isPaused, pauseOnBurst, drives, slotsMax, sweepMs, watch } =
    options;
  const observes = observesBy(options.observe);
  return {
    ...(onNotice === undefined ? {} : { onNotice }),
    ...(onFault === undefined ? {} : { onFault }),
    ...(onPoint === undefined ? {} : { onPoint }),
    ...(isPaused === undefined ? {} : { isPaused }),
    ...(pauseOnBurst === undefined ? {} : { pauseOnBurst }),
    ...(drives === false ? { duties: [] } : {}),
    ...(slotsMax === undefined ? {} : { slotsMax }),
    ...(sweepMs === undefined ? {} : { sweepMs }),
    ...(watch === undefined ? {} : { watch }),
    ...(observes === undefined ? {} : { observes }),
  };
}

function observesBy(
  observe: boolean | ObserveScope | undefined,
): ((tenant: string, tool: string) => boolean) | undefined {
  if (observe === undefined || observe === false) return undefined;
  if (observe === true) return () => true;
  const tools = new Set(observe.tools);
  const tenants = new Set(observe.tenants);
  return (tenant, tool) => tools.has(tool) || tenants.has(tenant);
}

async function openStore(path: string | undefined, runtime: Runtime): Promise<EventStore> {
  return path === undefined ? createMemoryEventStore() : openSqliteEventStore({ path, runtime });
}

/** The core knows those of this process. */
function withEarlierSides(core: LedgerCore, { earlierSideEntries }: OpenIndex): LedgerCore {
  return {
    ...core,
    sideEntries: (limit) => {
      const own = core.sideEntries(limit);
      return [...own, ...earlierSideEntries(limit - own.length)];
    },
  };
}

function face<Tools extends Readonly<Record<string, AnyTool>>>(
  options: CreateLedgerOptions<Tools>,
  tools: ToolSet,
  opened: LedgerCore,
  store: EventStore,
): Ledger<Tools> {
  const tenant = options.tenant ?? 'default';
  let openness: Openness = 'open';
  const core = whileOpen(opened, () => openness);
  const callable = (name: string): LedgerTool => ({
    name,
    call: (args, given) => core.propose(proposalOf(name, tenant, args, given ?? {})),
  });
  const byName = Array.isArray(options.tools)
    ? tools.all.map((tool) => [tool.name, callable(tool.name)] as const)
    : Object.entries(options.tools).map(([name, tool]) => [name, callable(tool.name)] as const);
  return {
    ...core,
    store,
    tools: Object.fromEntries(byName) as unknown as Ledger<Tools>['tools'],
    tool: <Args, Result>(tool: TypedTool<Args, Result>) => {
      if (isTool(tool)) return callable(tool.name) as unknown as LedgerTool<Args, Result>;
      throw new LedgerError('ledger.options', 'tool() takes what defineTool or httpTool has made.');
    },
    reportAbout: (request) => core.reportAbout({ tenant, ...request }),
    observed: (filter) => core.observed({ limit: observedUsual, ...filter }),
    waitingReports: (of = tenant) => core.waitingReports(of),
    workflow: (workflowOptions, program) => runWorkflow(core, tenant, workflowOptions, program),
    workflows: ledgerWorkflows(core, tenant),
    close: async (closing) => {
      if (openness === 'open') openness = 'closing';
      await core.close(closing);
      openness = 'closed';
      await store.close();
    },
  };
}

const observedUsual = 100;

function proposalOf(tool: string, tenant: string, args: unknown, given: CallContext): Proposal {
  // No object at all: it is refused as any origin is that does not fit.
  if (typeof given !== 'object') return { tool, arguments: args, tenant, origin: given };
  const {
    tenant: named = tenant,
    key,
    by,
    waitMs,
    signal,
    traceparent,
    tracestate,
    ...origin
  } = given;
  return {
    tool,
    arguments: args,
    tenant: named,
    origin,
    ...(key === undefined ? {} : { key }),
    ...(by === undefined ? {} : { by }),
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(signal === undefined ? {} : { signal }),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(tracestate === undefined ? {} : { tracestate }),
  };
}
