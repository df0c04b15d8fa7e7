// What the callers were told, counted. A call opened an action if it is the first of its run to be
// told of it: so a call whose first answer died with its worker counts as what it did, not as the
// repeat that its second delivery was.
import { type PlayCall, type PlayRun } from '@action-ledger/sandbox';
import { type Delivered } from './delivery.ts';

/** A write that the recorded world took and the ledger refused as invalid. */
interface TakenByTheWorld {
  readonly run: string;
  readonly seq: number;
  readonly tool: string;
  readonly reason: string;
}

export interface CallCounts {
  runs: number;
  calls: number;
  reads: number;
  opened: number;
  suppressed: number;
  conflicts: number;
  invalid: number;
  unknownTools: number;
  /** Ten epochs in a row without effect. */
  exhausted: number;
  deferred: number;
  /** Deliveries that the play made on top of the recorded calls. */
  redelivered: number;
}

export interface CallTally {
  readonly counts: Readonly<CallCounts>;
  /** The first few. */
  readonly takenByTheWorld: readonly TakenByTheWorld[];
  readonly takenByTheWorldCount: () => number;
  /** Redeliveries that were given an action of their own: the ledger was wrong. */
  readonly wrongRedeliveries: readonly string[];
  /** Actions that a caller was told of as succeeded. */
  readonly toldSucceeded: ReadonlySet<string>;
  readonly openRun: (run: PlayRun) => RunTally;
}

export interface RunTally {
  readonly read: () => void;
  readonly answered: (call: PlayCall, told: Delivered) => void;
  readonly redelivered: (told: Delivered) => void;
}

const takenShown = 10;

const nothingYet: CallCounts = {
  runs: 0,
  calls: 0,
  reads: 0,
  opened: 0,
  suppressed: 0,
  conflicts: 0,
  invalid: 0,
  unknownTools: 0,
  exhausted: 0,
  deferred: 0,
  redelivered: 0,
};

export function createCallTally(): CallTally {
  const counts = { ...nothingYet };
  const taken: TakenByTheWorld[] = [];
  let takenCount = 0;
  const wrong: string[] = [];
  const succeeded = new Set<string>();
  const note = ({ state, actionId }: Delivered): void => {
    if (state === 'succeeded' && actionId !== undefined) succeeded.add(actionId);
  };

  const countInvalid = (run: PlayRun, call: PlayCall, told: Delivered): void => {
    counts.invalid += 1;
    if (call.answer.kind !== 'accepted') return;
    takenCount += 1;
    const { seq, recordedTool: tool } = call;
    const reason = told.reason ?? '';
    if (taken.length < takenShown) taken.push({ run: run.tenant, seq, tool, reason });
  };
  return {
    counts,
    takenByTheWorld: taken,
    takenByTheWorldCount: () => takenCount,
    wrongRedeliveries: wrong,
    toldSucceeded: succeeded,
    openRun: (run) => {
      const known = new Set<string>();
      counts.runs += 1;
      return {
        read: () => {
          counts.calls += 1;
          counts.reads += 1;
        },
        answered: (call, told) => {
          const what = whatCameOf(told, known);
          note(told);
          counts.calls += 1;
          if (what === 'invalid') countInvalid(run, call, told);
          else counts[what] += 1;
          if (what === 'opened' && told.state === 'planned') counts.deferred += 1;
        },
        redelivered: (told) => {
          counts.redelivered += 1;
          note(told);
          if (whatCameOf(told, known) === 'opened') wrong.push(told.actionId ?? '');
        },
      };
    },
  };
}

type WhatCameOf = Exclude<
  keyof CallCounts,
  'runs' | 'calls' | 'reads' | 'deferred' | 'redelivered'
>;

/** @param known actions that the run has been told of; a new one is added */
function whatCameOf({ word, state, code, actionId }: Delivered, known: Set<string>): WhatCameOf {
  if (word === 'other-arguments') return 'conflicts';
  if (state === 'refused') {
    if (code === 'tool.unknown') return 'unknownTools';
    return code === 'epochs.exhausted' ? 'exhausted' : 'invalid';
  }
  if (actionId === undefined || known.has(actionId)) return 'suppressed';
  known.add(actionId);
  return 'opened';
}
