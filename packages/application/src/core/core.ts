// One core of the ledger: its parts put together, opened, swept and closed, with the duties that it has at
// the moment. Everything it needs from the world (store, clock, tools, index) is passed in.
import { type Action, keyHashOf } from '@action-ledger/domain';
import { type EventStore, type Loss } from '@action-ledger/event-store';
import { type AssembledParts, assemble, type CoreState } from './assemble.ts';
import { type Loaded } from '../record/action-store.ts';
import { keepRoom } from '../record/after-append.ts';
import { awaitRest } from '../answer/await-rest.ts';
import { callerDoor } from '../callers/caller-door.ts';
import { type CallerTools, openCallerTools } from '../callers/caller-tools.ts';
import { checkInBackground, holdLostStreams } from '../record/background-check.ts';
import { createEpochChains } from '../propose/chain-of-epochs.ts';
import { withoutUndefined } from './check-request.ts';
import { drain } from './drain.ts';
import { allDuties, type Duty } from './duties.ts';
import { editAction } from '../people/edit.ts';
import { takeReport } from '../reports/evidence.ts';
import { explainCall } from '../propose/explain.ts';
import { createFollowing, type Following } from './follow-streams.ts';
import { checkFirstEvent } from '../propose/hidden-action.ts';
import { createHearing, type Hearing } from './hear-places.ts';
import { safeOnFault } from './host-functions.ts';
import { createLedgerClock } from './ledger-clock.ts';
import { type Ledger, type LedgerOptions } from '../ledger.ts';
import { gaugesOf } from './ledger-watch.ts';
import { observedIn } from '../observe/observed-report.ts';
import {
  cancelAction,
  castVote,
  checkNow,
  closeIncident,
  settleUnknown,
} from '../people/operate.ts';
import { pausing } from '../people/pausing.ts';
import { createPauses, type Pauses } from '../people/pauses.ts';
import { propose } from '../propose/propose.ts';
import { ofProgram } from '../propose/proposal.ts';
import { readRecoveries } from '../people/recoveries.ts';
import { type Parts, takesSecrets, toolOf } from './parts.ts';
import { readTail, type StoreTail } from '../record/read-tail.ts';
import { openReports, reportAbout } from '../reports/report-door.ts';
import { registerTool } from '../record/registry.ts';
import { repeatAction } from '../people/repeat.ts';
import { createRepeatedNames } from '../propose/repeated-names.ts';
import { type Slots } from '../attempt/slots.ts';
import { sideBySide } from './side-by-side.ts';
import { createSweep, type Sweep } from '../attend/sweep.ts';
import { prepareDuties, takeUpDuty } from './take-up-duty.ts';
import { trackUndoer } from '../attempt/undo.ts';
import { attendWorkflow } from '../workflow/compensator.ts';
import { type CompensatorDeps } from '../workflow/compensator-deps.ts';
import { openWorkflows } from '../workflow/open-workflows.ts';
import { workflowDoor } from '../workflow/workflow-door.ts';

export interface Core extends Following, Pick<Hearing, 'hear'> {
  readonly ledger: Ledger;
  /** By which its claims are told from those of others. */
  readonly worker: string;
  /** It does this by itself from now on; first what others have left behind. */
  begin(duty: Duty): Promise<void>;
  /**
   * Begins nothing more of it, and waits for the attempts that it began, at most `drainMs` (default 30 s);
   * those that are late are aborted, and may take 5 s more to be recorded.
   */
  end(duty: Duty, options?: { readonly drainMs?: number }): Promise<void>;
  has(duty: Duty): boolean;
  /** An action as last seen here, and read only where it is not kept. @throws StoreFault */
  known(actionId: string): Promise<Loaded>;
  /**
   * Sends an action that is to be sent, where that is due. Resolves when the dispatch is on record: the call
   * goes on. What else is due of it may ask a provider, and is not waited for: the due index has it.
   * @throws StoreFault where it may not be on record
   */
  attendSend(actionId: string): Promise<void>;
  /** Undefined where no tool of this name is known to it. */
  takesSecrets(tenant: string, tool: string): boolean | undefined;
  /** Looks soon at an action, or at a workflow by the name of its stream, and does what is due by its duties. */
  wake(due: string): void;
  readonly room: Pick<Slots, 'isFull' | 'onRelease'>;
}

const defaultSweepMs = 5_000;
const defaultDrainMs = 30_000;

type ChangingState = { -readonly [Member in keyof CoreState]: CoreState[Member] };

export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  return (await openCore(options)).ledger;
}

export async function openCore(options: LedgerOptions): Promise<Core> {
  const { store, runtime, index } = options;
  const clock = createLedgerClock(runtime.clock);
  const tail = await readTail(store, clock);
  const declared = await registerAll(options, clock);
  const recoveries = await readRecoveries(store, options.sha256);
  const state: ChangingState = { closing: false, missing: undefined, presuming: true };
  const pauses = createPauses(
    { ...options, clock },
    (pause) => {
      parts.notice({ kind: 'paused', pause });
    },
    (end) => {
      parts.notice({ kind: 'resumed', ...end });
    },
  );
  await pauses.refresh();
  const callerTools = await openCallerTools(
    { ...options, clock },
    {
      onFault: safeOnFault(options.onFault),
      onLoosened: (loosened) => {
        parts.notice({ kind: 'rules loosened', ...loosened });
      },
    },
  );
  const parts = assemble(
    options,
    clock,
    state,
    { pauses, recoveries, callerTools, declared },
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
  const chains = createEpochChains(parts.actions, parts.crew.isShared);
  const deps = openWorkflows({ parts, chains, repeated: createRepeatedNames() });
  const following = createFollowing(deps, { pauses, callerTools }, tail.through);
  const sweep = createSweep(deps, {
    pauses,
    everyMs: options.sweepMs ?? defaultSweepMs,
    catchUp: following.catchUp,
  });
  const onLost = (loss: Loss) => noteLost(store, state, loss);
  for (const first of tail.firsts) await checkFirstEvent(parts, first, onLost);
  await holdLostStreams(parts);
  await noteOpen(parts, index.openActions());
  const told = { following, hearing: createHearing(parts, following), sweep };
  const core = coreOf({ parts, deps, state, tail, pauses, callerTools, ...told, onLost });
  for (const duty of options.duties ?? allDuties) await core.begin(duty);
  state.presuming = false;
  await openReports(parts);
  return core;
}

/** A store that is behind what it held takes no registrations. */
async function registerAll(
  { store, runtime, sha256, tools }: LedgerOptions,
  clock: Parts['clock'],
): Promise<Parts['declared']> {
  const declared = new Map<string, Awaited<ReturnType<typeof registerTool>>>();
  if (store.condition().kind !== 'ready') return declared;
  for (const tool of tools.all) {
    if (tool.kind !== 'write') continue;
    declared.set(tool.name, await registerTool({ store, runtime, clock, sha256 }, tool));
  }
  return declared;
}

/** Waits are counted from now; what callers were asked or have in hand, and undos under way, are known. */
async function noteOpen(parts: AssembledParts, open: readonly string[]): Promise<void> {
  await sideBySide(open, async (actionId) => {
    const loaded = await parts.actions.load(actionId);
    if (loaded.kind === 'broken') return;
    parts.judge.see(loaded.action);
    noteAskedBefore(parts, loaded.action);
    trackUndoer(parts, loaded.action);
    keepRoom(parts, loaded.action, toolOf(parts, loaded.action));
  });
}

/** What a caller was asked by a process before this one proves no absence by the waits of this one. */
function noteAskedBefore({ offers, clock }: AssembledParts, action: Action): void {
  if (action.status !== 'unknown') return;
  const now = clock.monoMs();
  offers.noteAsking(action.id, { revision: action.revision, sentMono: now, untilMono: now });
}

/** Nothing new from now on; where the store can keep it, also after a restart. */
async function noteLost(store: EventStore, state: ChangingState, loss: Loss): Promise<void> {
  if (store.noteLoss === undefined) state.missing ??= loss.reason;
  else await store.noteLoss(loss);
}

interface CoreParts {
  readonly parts: AssembledParts;
  readonly deps: CompensatorDeps;
  readonly state: ChangingState;
  readonly tail: StoreTail;
  readonly pauses: Pauses;
  readonly callerTools: CallerTools;
  readonly following: Following;
  readonly hearing: Hearing;
  readonly sweep: Sweep;
  readonly onLost: (loss: Loss) => Promise<void>;
}

function coreOf(given: CoreParts): Core {
  const { parts, deps, state, tail, following, hearing, sweep, onLost } = given;
  const { duties, slots, clock } = parts;
  let prepared: Promise<void> | undefined;
  // Also without a duty it reads what others append: the log may be away for long.
  if (parts.crew.isShared()) sweep.start();
  const checkTheRest = (): void => {
    checkInBackground(deps, tail.after, onLost).catch((fault: unknown) => {
      if (!state.closing) parts.onFault('the check in the background', fault);
    });
  };
  return {
    ...following,
    hear: hearing.hear,
    worker: parts.worker,
    ledger: publicFace(deps, given, async ({ drainMs = defaultDrainMs } = {}) => {
      state.closing = true;
      sweep.stop();
      hearing.stop();
      parts.due.stop();
      await drain(parts, drainMs);
      await Promise.all([...parts.reportsUnderWay, ...parts.joinsUnderWay]);
      parts.crew.leave(parts.worker);
      await parts.index.close();
    }),
    begin: async (duty) => {
      // What it is to act on may have been appended since it was opened.
      if (parts.crew.isShared()) await following.catchUp();
      prepared ??= prepareDuties(parts, tail).catch((fault: unknown) => {
        // The next one tries again.
        prepared = undefined;
        throw fault;
      });
      await prepared;
      state.presuming = false;
      duties.add(duty);
      sweep.start();
      await takeUpDuty(deps, tail, duty);
      if (duty === 'reconcile') checkTheRest();
    },
    end: async (duty, { drainMs = defaultDrainMs } = {}) => {
      duties.delete(duty);
      await drain(parts, drainMs, (run) => run.duty === duty);
    },
    has: duties.has,
    known: (actionId) => parts.actions.known(actionId),
    attendSend: async (actionId) => {
      if (isToSend(parts.actions.peek(actionId))) await parts.attendOrFail(actionId);
    },
    takesSecrets: (tenant, tool) => takesSecrets(parts, tenant, tool),
    wake: (due) => {
      parts.due.set(due, clock.nowMs());
    },
    room: { isFull: slots.isFull, onRelease: slots.onRelease },
  };
}

/** What is not kept here is read by the look. */
function isToSend(action: Action | undefined): boolean {
  return action === undefined || action.status === 'planned' || action.status === 'ready';
}

function publicFace(
  deps: CompensatorDeps,
  { pauses, callerTools, sweep }: Pick<CoreParts, 'pauses' | 'callerTools' | 'sweep'>,
  close: Ledger['close'],
): Ledger {
  const { parts, chains } = deps;
  return {
    propose: (proposal) => propose(deps, withoutUndefined(ofProgram(proposal))),
    vote: (request) => castVote(parts, request),
    cancel: (request) => cancelAction(parts, request),
    settle: (request) => settleUnknown(parts, request),
    repeat: (request) => repeatAction(parts, request),
    edit: (request) => editAction(parts, chains, request),
    report: (actionId, report) => takeReport(parts, actionId, report),
    reportAbout: (request) => reportAbout(parts, request),
    waitingReports: (tenant) => parts.reports.list(tenant),
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
    observes: parts.observes,
    observed: (filter) => observedIn(parts, filter),
    gauges: () => gaugesOf(parts),
    workflows: workflowDoor(deps),
    callers: callerDoor(deps, callerTools),
    rest: (actionId, waitMs) => awaitRest(parts, actionId, waitMs),
    sweep: sweep.now,
    close,
  };
}
