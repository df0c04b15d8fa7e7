// The parts of one running core, put together.
import { type Action } from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';
import {
  type ActionStore,
  type ActionStoreDeps,
  createActionStore,
} from '../record/action-store.ts';
import { afterAppend } from '../record/after-append.ts';
import { attendAction } from '../attend/attend.ts';
import { type CallerTools } from '../callers/caller-tools.ts';
import { createOffers } from '../callers/offers.ts';
import { type Crew, createCrew } from './crew.ts';
import { createDriving, type Driving } from './driving.ts';
import {
  pauseGate,
  safeHook,
  safeOnFault,
  safePoint,
  safeWatch,
  toldTools,
} from './host-functions.ts';
import { createJudge } from '../attend/judge.ts';
import { type LedgerOptions } from '../ledger.ts';
import { type Parts, type Run } from './parts.ts';
import { createHeldByPause } from '../people/held-by-pause.ts';
import { anyPause, pauseOnBurst } from '../people/pausing.ts';
import { type Pauses } from '../people/pauses.ts';
import { createQuarantine } from '../record/quarantine.ts';
import { type Recovery } from '../people/recoveries.ts';
import { createKeyedTurns } from '../record/keyed-turns.ts';
import { createWaitingReports } from '../reports/waiting-reports.ts';
import { createUnrecorded } from '../observe/unrecorded.ts';
import { createSideTable } from '../record/side-table.ts';
import { createWaiters } from '../answer/waiters.ts';
import { lookAt } from '../workflow/open-workflows.ts';

export interface CoreState {
  readonly closing: boolean;
  /** Found in the background: positions that should be there. */
  readonly missing: string | undefined;
  /** What was open when the record ended comes into doubt, one by one. */
  readonly presuming: boolean;
}

/** What a core reads before it is put together. */
export interface OnRecord {
  readonly pauses: Pauses;
  readonly recoveries: readonly Recovery[];
  readonly callerTools: CallerTools;
  readonly declared: Parts['declared'];
}

/** For whoever has put them together. */
export type AssembledParts = Parts & Pick<Driving, 'duties' | 'attendOrFail'>;

export function assemble(
  options: LedgerOptions,
  clock: Parts['clock'],
  state: CoreState,
  { pauses, ...onRecord }: OnRecord,
  told: ToldOfEpochs,
): AssembledParts {
  const { store, runtime, sha256, index } = options;
  const judge = createJudge(clock);
  const waiters = createWaiters(runtime.timers);
  const onOpened = onStreamBroken(() => parts);
  const quarantine = createQuarantine({ store, sha256, clock, runtime, onOpened });
  const onFault = safeOnFault(options.onFault);
  const { onNotice = () => undefined, onSideEntries } = options;
  const { crew = createCrew(), observes = noneIsObserved } = options;
  const look = lookAt((actionId) => attendAction(parts, actionId), told.onWorkflowDue);
  const actions: ActionStore = createActionStore({
    whyRecovering: () => whyRecovering(store, state),
    store,
    sha256,
    clock,
    runtime,
    quarantine,
    isShared: crew.isShared,
    ...toldOf(() => parts, told),
  });
  const driving = createDriving({ ...options, duties: [] }, clock, runtime, look, onFault);
  const parts: AssembledParts = {
    worker: joined(crew, runtime),
    crew,
    store,
    actions,
    tools: toldTools(options.tools, onFault),
    ...onRecord,
    offers: createOffers(waiters),
    clock,
    runtime,
    sha256,
    index,
    judge,
    ...driving,
    waiters,
    quarantine,
    reports: createWaitingReports({ store, sha256, clock, runtime }),
    sides: createSideTable(onSideEntries && safeHook('onSideEntries', onSideEntries, onFault)),
    ...nothingUnderWay(),
    recovering: () => whyRecovering(store, state),
    whyPaused: anyPause(pauses, pauseGate(options.isPaused, onFault)),
    heldByPause: createHeldByPause({ pauses, clock, due: driving.due }),
    observes,
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

function joined(crew: Crew, { ids }: Pick<LedgerOptions['runtime'], 'ids'>): string {
  const worker = ids.next();
  crew.join(worker);
  return worker;
}

function onStreamBroken(parts: () => Parts): (actionId: string, reason: string) => void {
  return (actionId, reason) => {
    parts().notice({ kind: 'stream broken', actionId, reason });
  };
}

const noneIsObserved = (): boolean => false;

function nothingUnderWay(): Pick<
  Parts,
  | 'runs'
  | 'secrets'
  | 'joins'
  | 'joinsUnderWay'
  | 'undoers'
  | 'dependents'
  | 'beingRecorded'
  | 'reportsUnderWay'
  | 'reportsLeft'
  | 'externalIdTurns'
  | 'epochTurns'
  | 'unrecorded'
> {
  return {
    runs: new Map<string, Run>(),
    secrets: new Map(),
    joins: new Map(),
    joinsUnderWay: new Set(),
    epochTurns: createKeyedTurns(),
    undoers: new Map(),
    dependents: new Map(),
    beingRecorded: new Set(),
    reportsUnderWay: new Set(),
    reportsLeft: { all: false, notBeforeMono: 0, reports: new Set() },
    externalIdTurns: createKeyedTurns(),
    unrecorded: createUnrecorded(),
  };
}

export interface ToldOfEpochs {
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

function whyRecovering(store: EventStore, state: CoreState): string | undefined {
  const condition = store.condition();
  if (condition.kind === 'recovering') return condition.reason;
  return state.presuming ? 'It is being opened.' : state.missing;
}
