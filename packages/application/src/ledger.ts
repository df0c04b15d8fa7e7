// One running ledger: its parts put together, started, swept and closed. Everything it needs from the
// world (store, clock, tools, index) is passed in.
import {
  actionOfStream,
  type Action,
  keyHashOf,
  type Refusal,
  type Sha256,
} from '@action-ledger/domain';
import { type EventStore, type Loss } from '@action-ledger/event-store';
import { type Runtime, type Timer } from '@action-ledger/runtime';
import { type ToolSet } from '@action-ledger/tools';
import {
  type ActionIndex,
  type ActionRow,
  type ListFilter,
  type UnknownFilter,
} from './action-index.ts';
import {
  type ActionStore,
  type ActionStoreDeps,
  createActionStore,
  type Loaded,
  type Performed,
} from './action-store.ts';
import { afterAppend } from './after-append.ts';
import { type Answer } from './answer.ts';
import { attendAction } from './attend.ts';
import { checkInBackground, holdLostStreams } from './background-check.ts';
import { awaitRest } from './await-rest.ts';
import { withoutUndefined } from './check-request.ts';
import { createEpochChains } from './chain-of-epochs.ts';
import { editAction, type EditRequest } from './edit.ts';
import { drain } from './drain.ts';
import { createDriving, type DrivingOptions } from './driving.ts';
import { type EvidenceReport, takeReport } from './evidence.ts';
import { explainCall, type Explanation, type ExplainRequest } from './explain.ts';
import { checkFirstEvent } from './hidden-action.ts';
import {
  pauseGate,
  safeHook,
  safeOnFault,
  safePoint,
  safeWatch,
  toldTools,
} from './host-functions.ts';
import { createJudge } from './judge.ts';
import { createLedgerClock } from './ledger-clock.ts';
import { gaugesOf, type LedgerGauges, type LedgerWatch } from './ledger-watch.ts';
import {
  type CancelRequest,
  cancelAction,
  castVote,
  checkNow,
  type CheckNowRequest,
  closeIncident,
  settleUnknown,
  type SettleRequest,
  type VoteRequest,
} from './operate.ts';
import { anyPause, type BurstOptions, pauseOnBurst, pausing, type Pausing } from './pausing.ts';
import { createPauses, type Pauses } from './pauses.ts';
import { type Notice, type Parts, type Run, type WritePoint } from './parts.ts';
import { propose } from './propose.ts';
import { type Proposal, withoutLink } from './proposal.ts';
import { createQuarantine } from './quarantine.ts';
import { presumeOpen } from './presumed.ts';
import { readTail, type StoreTail } from './read-tail.ts';
import { readRecoveries, type Recovery } from './recoveries.ts';
import { registerTool } from './registry.ts';
import { repeatAction, type RepeatRequest } from './repeat.ts';
import { createRepeatedNames } from './repeated-names.ts';
import { createSideTable, type SideEntry } from './side-table.ts';
import { completeUndo, completeUndos, trackUndoer } from './undo.ts';
import { createWaiters } from './waiters.ts';
import { attendWorkflow } from './workflow/compensator.ts';
import { type CompensatorDeps } from './workflow/compensator-deps.ts';
import { recoverWorkflows } from './workflow/recover-workflows.ts';
import { type WorkflowDoor, workflowDoor } from './workflow/workflow-door.ts';
import { lookAt, openWorkflows, sweepWorkflows } from './workflow/open-workflows.ts';

export interface LedgerOptions extends BurstOptions, DrivingOptions {
  readonly store: EventStore;
  readonly runtime: Runtime;
  readonly sha256: Sha256;
  readonly tools: ToolSet;
  /** Caught up with the store. */
  readonly index: ActionIndex;
  readonly digestSecret: (path: string, text: string) => string;
  readonly onNotice?: (notice: Notice) => void;
  readonly onFault?: (where: string, fault: unknown) => void;
  /** Told at each point of the write path. */
  readonly onPoint?: (point: WritePoint, actionId: string) => void | Promise<void>;
  readonly onSideEntries?: (entries: readonly SideEntry[]) => void;
  /** Beside the pauses on record. */
  readonly isPaused?: (tenant: string, tool: string) => boolean;
  readonly sweepMs?: number;
  readonly watch?: LedgerWatch;
}

export interface Ledger extends Pausing {
  propose(proposal: Proposal): Promise<Answer>;
  vote(request: VoteRequest): Promise<Performed>;
  cancel(request: CancelRequest): Promise<Performed>;
  settle(request: SettleRequest): Promise<Performed>;
  repeat(request: RepeatRequest): Promise<Answer>;
  /** Another action takes the place of one that has not been sent; its callers get that one's outcome. */
  edit(request: EditRequest): Promise<Answer>;
  report(actionId: string, report: EvidenceReport): Promise<Performed>;
  closeIncident(request: Parameters<typeof closeIncident>[1]): Promise<Performed>;
  checkNow(request: CheckNowRequest): Promise<Performed>;
  explain(request: ExplainRequest): Promise<Explanation | Refusal>;
  load(actionId: string): Promise<Loaded>;
  list(filter: ListFilter): readonly ActionRow[];
  /** What is not known: what waits for a person first, then the oldest before. */
  unknowns(filter: UnknownFilter): readonly ActionRow[];
  /** The action that recorded this id of the provider first. */
  ownerOfExternalId(tenant: string, tool: string, externalId: string): string | undefined;
  openActions(): readonly string[];
  sideEntries(limit: number): readonly SideEntry[];
  gauges(): LedgerGauges;
  readonly workflows: WorkflowDoor;
  /** Waits until nothing is expected to happen to it within `waitMs`. */
  rest(actionId: string, waitMs: number): Promise<Action | undefined>;
  /** Looks at everything open again. */
  sweep(): void;
  /** Takes no new proposals, waits for what runs (at most `drainMs`), stops. The store stays open. */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

const defaultSweepMs = 5_000;
const defaultDrainMs = 30_000;

interface LedgerState {
  closing: boolean;
  /** Found in the background: positions that should be there. */
  missing: string | undefined;
  /** What was open when the record ended comes into doubt, one by one. */
  presuming: boolean;
}

export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const { store, runtime, index } = options;
  const clock = createLedgerClock(runtime.clock);
  const tail = await readTail(store, clock);
  if (store.condition().kind === 'ready') {
    for (const tool of options.tools.all) {
      if (tool.kind === 'write')
        await registerTool({ store, runtime, clock, sha256: options.sha256 }, tool);
    }
  }
  const recoveries = await readRecoveries(store, options.sha256);
  const state: LedgerState = { closing: false, missing: undefined, presuming: true };
  const pauses = createPauses({ ...options, clock }, (pause) => {
    parts.notice({ kind: 'paused', pause });
  });
  await pauses.refresh();
  const parts = assemble(
    options,
    clock,
    state,
    { pauses, recoveries },
    {
      onCreated: ({ id, epoch }) => {
        chains.grew(keyHashOf(id), epoch + 1);
      },
      onRead: ({ id, epoch }) => {
        if (epoch > 0) chains.found(keyHashOf(id), epoch + 1);
      },
      onWorkflowDue: (workflowId) => attendWorkflow(deps, workflowId),
    },
  );
  const chains = createEpochChains(parts.actions);
  const deps = openWorkflows({ parts, chains, repeated: createRepeatedNames() });
  const sweep = startSweep(deps, pauses, options.sweepMs ?? defaultSweepMs);
  const ledger = publicFace(deps, state, pauses, sweep);
  const onLost = (loss: Loss): Promise<void> => noteLost(store, state, loss);
  for (const first of tail.firsts) await checkFirstEvent(parts, first, onLost);
  await holdLostStreams(parts);
  await presumeOpen(parts, index.openActions());
  state.presuming = false;
  await recover(parts, tail.ends, index.openActions());
  if (!parts.drives) return ledger;
  await recoverWorkflows(deps, tail.ends.keys());
  checkInBackground(deps, tail.after, onLost).catch((fault: unknown) => {
    if (!state.closing) parts.onFault('the check in the background', fault);
  });
  return ledger;
}

/** Nothing new from now on; where the store can keep it, also after a restart. */
async function noteLost(store: EventStore, state: LedgerState, loss: Loss): Promise<void> {
  if (store.noteLoss === undefined) state.missing ??= loss.reason;
  else await store.noteLoss(loss);
}

function whyRecovering(store: EventStore, state: Readonly<LedgerState>): string | undefined {
  const condition = store.condition();
  if (condition.kind === 'recovering') return condition.reason;
  return state.presuming ? 'It is being opened.' : state.missing;
}

function assemble(
  options: LedgerOptions,
  clock: Parts['clock'],
  state: Readonly<LedgerState>,
  { pauses, recoveries }: { readonly pauses: Pauses; readonly recoveries: readonly Recovery[] },
  told: ToldOfEpochs,
): Parts {
  const { store, runtime, sha256, index } = options;
  const judge = createJudge(clock);
  const waiters = createWaiters(runtime.timers);
  const onOpened = (actionId: string, reason: string): void => {
    parts.notice({ kind: 'stream broken', actionId, reason });
  };
  const quarantine = createQuarantine({ store, sha256, clock, runtime, onOpened });
  const onFault = safeOnFault(options.onFault);
  const { onNotice = () => undefined, onSideEntries } = options;
  const look = lookAt((actionId) => attendAction(parts, actionId), told.onWorkflowDue);
  const actions: ActionStore = createActionStore({
    store,
    sha256,
    clock,
    runtime,
    quarantine,
    ...toldOf(() => parts, told),
  });
  const parts: Parts = {
    worker: runtime.ids.next(),
    store,
    actions,
    tools: toldTools(options.tools, onFault),
    clock,
    runtime,
    sha256,
    index,
    judge,
    ...createDriving(options, clock, runtime, look, onFault),
    waiters,
    quarantine,
    sides: createSideTable(onSideEntries && safeHook('onSideEntries', onSideEntries, onFault)),
    runs: new Map<string, Run>(),
    secrets: new Map(),
    joins: new Map(),
    undoers: new Map(),
    dependents: new Map(),
    beingRecorded: new Set(),
    recoveries,
    recovering: () => whyRecovering(store, state),
    whyPaused: anyPause(pauses, pauseGate(options.isPaused, onFault)),
    sawUnknown: pauseOnBurst(options, clock, pauses, onFault),
    isClosing: () => state.closing,
    notice: safeHook('onNotice', onNotice, onFault),
    passed: safePoint(options.onPoint, onFault),
    watch: safeWatch(options.watch, onFault),
    digestSecret: options.digestSecret,
    onFault,
  };
  return parts;
}

interface ToldOfEpochs {
  readonly onCreated: (action: Action) => void;
  readonly onRead: (action: Action) => void;
  readonly onWorkflowDue: (workflowId: string) => Promise<void>;
}

/** Own appends, and what reads find that another process has appended. */
function toldOf(
  parts: () => Parts,
  { onCreated, onRead }: ToldOfEpochs,
): Pick<ActionStoreDeps, 'onAppended' | 'onMoved' | 'onRead'> {
  return {
    onAppended: (before, action, events) => {
      if (before.status === 'new' && action.status !== 'reserved') onCreated(action);
      afterAppend(parts(), before, action, events);
    },
    onMoved: (before, action) => {
      afterAppend(parts(), before, action, []);
    },
    onRead,
  };
}

/** Everything open is looked at; claims of the file's previous process end; half-told undos and edits are completed. */
async function recover(
  parts: Parts,
  tail: StoreTail['ends'],
  open: readonly string[],
): Promise<void> {
  for (const actionId of open) {
    const loaded = await parts.actions.load(actionId);
    if (loaded.kind === 'broken') continue;
    parts.judge.see(loaded.action);
    trackUndoer(parts, loaded.action);
  }
  if (!parts.drives) return;
  for (const [stream, revision] of tail) {
    const actionId = actionOfStream(stream);
    if (actionId === undefined) continue;
    const loaded = await parts.actions.load(actionId);
    if (loaded.kind === 'broken') continue;
    if (loaded.action.revision < revision) {
      await parts.quarantine.open(actionId, `revision ${revision} is not found by its name`);
      continue;
    }
    if (loaded.action.undoes.length > 0) await completeUndo(parts, loaded.action);
    if (loaded.action.edited !== undefined) parts.due.set(actionId, parts.clock.nowMs());
  }
  for (const actionId of open) parts.due.set(actionId, parts.clock.nowMs());
}

interface Sweep {
  readonly now: () => void;
  readonly stop: () => void;
}

function startSweep(deps: CompensatorDeps, pauses: Pauses, everyMs: number): Sweep {
  const { parts } = deps;
  let timer: Timer | undefined;
  const sweep = (): void => {
    pauses.refresh().catch((fault: unknown) => {
      if (!parts.isClosing()) parts.onFault('reading the pauses', fault);
    });
    completeUndos(parts);
    sweepWorkflows(deps);
    const scheduled = new Set(parts.due.all());
    for (const actionId of parts.index.openActions()) {
      if (!scheduled.has(actionId) && !parts.runs.has(actionId))
        parts.due.set(actionId, parts.clock.nowMs());
    }
  };
  const next = (): void => {
    if (!parts.drives) return;
    timer = parts.runtime.timers.after(everyMs, () => {
      sweep();
      next();
    });
  };
  next();
  return {
    now: sweep,
    stop: () => {
      timer?.cancel();
    },
  };
}

function publicFace(
  deps: CompensatorDeps,
  state: LedgerState,
  pauses: Pauses,
  sweep: Sweep,
): Ledger {
  const { parts, chains } = deps;
  return {
    propose: (proposal) => propose(deps, withoutUndefined(withoutLink(proposal))),
    vote: (request) => castVote(parts, request),
    cancel: (request) => cancelAction(parts, request),
    settle: (request) => settleUnknown(parts, request),
    repeat: (request) => repeatAction(parts, request),
    edit: (request) => editAction(parts, chains, request),
    report: (actionId, report) => takeReport(parts, actionId, report),
    ...pausing(pauses, sweep.now),
    closeIncident: (request) => closeIncident(parts, request),
    checkNow: (request) => checkNow(parts, request),
    explain: (request) => explainCall(parts, chains, request),
    load: (actionId) => parts.actions.load(actionId, { fresh: true }),
    list: (filter) => parts.index.list(filter),
    unknowns: (filter) => parts.index.unknowns(filter),
    ownerOfExternalId: (...named) => parts.index.ownerOfExternalId(...named),
    openActions: () => parts.index.openActions(),
    sideEntries: (limit) => parts.sides.recent(limit),
    gauges: () => gaugesOf(parts),
    workflows: workflowDoor(deps),
    rest: (actionId, waitMs) => awaitRest(parts, actionId, waitMs),
    sweep: sweep.now,
    close: async ({ drainMs = defaultDrainMs } = {}) => {
      state.closing = true;
      sweep.stop();
      parts.due.stop();
      await drain(parts, drainMs);
      await parts.index.close();
    },
  };
}
