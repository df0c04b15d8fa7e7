// The ledger of another process, over HTTP: the same calls, answers and errors as the embedded one. Who asks
// is known by the key, so names and tenant are not said. Tools run where the ledger does, but for those that
// this program brings.
import type { Ledger as Core, WorkflowRequest } from '@action-ledger/application';
import { createSystemRuntime, type Runtime } from '@action-ledger/runtime';
import type { TypedTool } from '@action-ledger/tools';
import { LedgerError } from '../ledger-error.ts';
import { type CallContext, type Outcome } from '../ledger-tool.ts';
import {
  runWorkflow,
  type StepByStep,
  type WorkflowOptions,
  type WorkflowOutcome,
  type WorkflowProgram,
} from '../workflow.ts';
import { type Ask, createAsk } from './ask.ts';
import { type Commanding, commanding } from './commands.ts';
import { noNames, type WithoutNames } from './names-by-key.ts';
import { addNotRemote, type NotRemote } from './not-remote.ts';
import { type OwnTools } from './own-tools.ts';
import { type Proposing, proposing, type RemoteProposal } from './proposals.ts';
import { type Reading, reading } from './reading.ts';
import { RemoteFault } from './remote-fault.ts';
import {
  checkRemoteOptions,
  type RemoteLedgerOptions,
  type RemoteTools,
  urlOf,
} from './remote-options.ts';
import { requestsAsObjects } from './requests-as-objects.ts';
import { type RemoteWorkflows, remoteWorkflows } from './workflows.ts';

/** Beside the call itself; whose call it is, is known by the key. */
export type RemoteCallContext = WithoutNames<CallContext>;

export interface RemoteTool<Args = unknown, Result = unknown> {
  readonly name: string;
  call(args: Args, context?: RemoteCallContext): Promise<Outcome<Result>>;
}

type RemoteToolOf<Declared> =
  Declared extends TypedTool<infer Args, infer Result> ? RemoteTool<Args, Result> : RemoteTool;

/** What has to be asked for elsewhere is answered later: every read is a promise. */
export interface RemoteLedger<Tools extends RemoteTools = RemoteTools>
  extends Proposing, Commanding, Reading, NotRemote {
  /** Those that this program carries out itself. */
  readonly tools: { readonly [Name in keyof Tools]: RemoteToolOf<Tools[Name]> };
  /** A tool of the ledger by its name, or by its declaration, which gives its types. */
  tool<Args = unknown, Result = unknown>(
    tool: TypedTool<Args, Result> | string,
  ): RemoteTool<Args, Result>;
  /**
   * Runs a program whose tool calls are steps: recorded with how each is undone before it is sent. With
   * the same id (or run) it goes on where it was, and gets what is on record.
   */
  workflow<Result>(
    options: WithoutNames<WorkflowOptions>,
    program: WorkflowProgram<Result>,
  ): Promise<WorkflowOutcome<Result>>;
  readonly workflows: RemoteWorkflows;
  /**
   * Takes nothing new, waits for what is asked and for tools that run here (at most `drainMs`, default
   * 30 s; then they are aborted, and what became of them is told). The ledger itself goes on. Whatever is asked after it rejects with LedgerError `ledger.closed`.
   */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

/** Every call of an embedded ledger is here too, or refused by name: it does not compile otherwise. */
type Whole<Face extends Readonly<Record<keyof Core, unknown>>> = Face;

const retryForMsUsual = 30_000;
const answerWithinMsUsual = 10_000;
const drainMsUsual = 30_000;

/**
 * Without tools it asks nothing yet: a program can be started before its ledger.
 * @throws LedgerError `ledger.options` an option is unknown or malformed
 * @throws ToolDeclarationError, RegistrationRefused a tool cannot be declared to this ledger
 * @throws RemoteFault, StoreFault the tools could not be declared
 */
export async function openRemoteLedger<Tools extends RemoteTools>(
  options: RemoteLedgerOptions<Tools>,
): Promise<Whole<RemoteLedger<Tools>>> {
  checkRemoteOptions(options);
  const { url, apiKey, token, fetch: given, runtime = createSystemRuntime() } = options;
  const { retryForMs = retryForMsUsual, answerWithinMs = answerWithinMsUsual } = options;
  const ended = new AbortController();
  const line = {
    url: urlOf(url) as URL,
    apiKey,
    token,
    // Looked up with each request, as a program may put another in its place.
    fetch: given ?? ((...asked: Parameters<typeof fetch>) => fetch(...asked)),
    timers: runtime.timers,
  };
  const askUntil = (closed: AbortSignal): Ask =>
    createAsk({ line, runtime, retryForMs, answerWithinMs, closed });
  const open = whileOpen(askUntil(ended.signal));
  const { ask } = open;
  const { clock } = runtime;
  const own = await ownToolsOf(options, runtime, askUntil);
  const proposed = proposing(ask, runtime, own);
  const proposals = requestsAsObjects({
    ...proposed,
    propose: (proposal: RemoteProposal) => open.during(proposed.propose(proposal)),
  });
  const workflows = requestsAsObjects(remoteWorkflows(ask, clock, own));
  return addNotRemote<Omit<RemoteLedger<Tools>, keyof NotRemote>>({
    ...proposals,
    tools: Object.fromEntries(
      namedTools(options).map(([name, tool]) => [name, callable(proposals, tool)]),
    ) as RemoteLedger<Tools>['tools'],
    ...requestsAsObjects(commanding(ask, clock)),
    ...requestsAsObjects(reading(ask)),
    tool: <Args, Result>(tool: TypedTool<Args, Result> | string) =>
      callable(proposals, tool) as unknown as RemoteTool<Args, Result>,
    workflow: async <Result>(
      asked: WithoutNames<WorkflowOptions>,
      program: WorkflowProgram<Result>,
    ) => {
      noNames('a workflow', asked);
      return runWorkflow({ workflows: doorOfProgram(workflows) }, '', asked, program);
    },
    workflows,
    close: async ({ drainMs = drainMsUsual } = {}) => {
      const timer = runtime.timers.after(drainMs, () => {
        ended.abort();
      });
      const asked = open.close();
      await Promise.all([asked, own?.close(drainMs, asked)]);
      timer.cancel();
    },
  });
}

/** What runs tools is loaded by those alone that have some. */
async function ownToolsOf(
  { tools, digestKey, onFault = () => undefined }: RemoteLedgerOptions,
  runtime: Runtime,
  askUntil: (ended: AbortSignal) => Ask,
): Promise<OwnTools | undefined> {
  if (tools === undefined || Object.keys(tools).length === 0) return undefined;
  const { openOwnTools } = await import('./callers/open-own-tools.ts');
  return openOwnTools({ tools, digestKey, onFault: safely(onFault), runtime, askUntil });
}

/** What it throws is nobody's. */
function safely(onFault: NonNullable<RemoteLedgerOptions['onFault']>): typeof onFault {
  return (where, fault) => {
    try {
      onFault(where, fault);
    } catch {
      // There is nobody left to tell.
    }
  };
}

function namedTools({
  tools = [],
}: RemoteLedgerOptions): readonly (readonly [string, { readonly name: string }])[] {
  return Array.isArray(tools)
    ? (tools as readonly { readonly name: string }[]).map((tool) => [tool.name, tool] as const)
    : Object.entries(tools as RemoteTools);
}

/** The program names no tenant, the key says it; and is told what it knows where its ledger is not heard. */
function doorOfProgram(workflows: RemoteWorkflows): StepByStep {
  return {
    ...workflows,
    start: ({ tenant: _tenant, ...request }: WorkflowRequest) => workflows.start(request),
    rest: (id, waitMs) =>
      workflows.rest(id, waitMs).catch((fault: unknown) => {
        if (fault instanceof RemoteFault && fault.retry !== 'never') return undefined;
        throw fault;
      }),
  };
}

function callable(proposals: Proposing, tool: { readonly name: string } | string): RemoteTool {
  const name: unknown = typeof tool === 'string' ? tool : (tool as { name?: string } | null)?.name;
  if (typeof name !== 'string' || name === '')
    throw new LedgerError('ledger.options', 'tool() takes the name of a tool, or its declaration.');
  return {
    name,
    call: async (args, context) => proposals.propose(proposalOf(name, args, context ?? {})),
  };
}

function proposalOf(tool: string, args: unknown, context: RemoteCallContext): RemoteProposal {
  const { key, waitMs, signal, traceparent, tracestate, ...origin } = context;
  noNames('a call', origin);
  return {
    tool,
    arguments: args,
    origin,
    ...(key === undefined ? {} : { key }),
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(signal === undefined ? {} : { signal }),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(tracestate === undefined ? {} : { tracestate }),
  };
}

interface WhileOpen {
  readonly ask: Ask;
  /** What is more than one request, or goes on in this process when it is answered. */
  during<Result>(work: Promise<Result>): Promise<Result>;
  /** Resolves when nothing is asked any more. */
  close(): Promise<void>;
}

function whileOpen(ask: Ask): WhileOpen {
  const underWay = new Set<Promise<unknown>>();
  let isOpen = true;
  const during: WhileOpen['during'] = (work) => {
    underWay.add(work);
    const over = (): void => void underWay.delete(work);
    work.then(over, over);
    return work;
  };
  return {
    during,
    ask: (asking) =>
      isOpen ? during(ask(asking)) : Promise.reject(new LedgerError('ledger.closed', closedText)),
    close: async () => {
      isOpen = false;
      await Promise.allSettled(underWay);
    },
  };
}

const closedText = 'The ledger is closed here. Open it again with createLedger.';
