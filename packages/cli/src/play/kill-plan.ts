// Which passes of which point end the worker: drawn for the call and the attempt, so that the same
// seed kills at the same places whatever runs first. Points that few actions pass are drawn more often.
import { type WritePoint } from '@action-ledger/application';
import { draw } from '@action-ledger/sandbox';

export interface PointPassed {
  readonly run: string;
  readonly seq: number;
  /** Counted from 1; before the first dispatch it is the one to come. */
  readonly attempt: number;
  readonly point: WritePoint;
}

export type KillPlan = (passed: PointPassed) => boolean;

const weights: Readonly<Record<WritePoint, number>> = {
  'before plan': 1,
  planned: 3,
  claimed: 3,
  dispatched: 1,
  sending: 1,
  replied: 1,
  'outcome recorded': 1,
  'unknown recorded': 10,
  'looked up': 20,
  reconciled: 20,
  'undo recorded': 40,
  // Recorded calls are no workflows.
  'workflow started': 1,
  'step planned': 1,
  'step done': 1,
  'step settled': 1,
  'compensation started': 1,
  'compensation planned': 1,
  'compensation created': 1,
  'compensation recorded': 1,
  'workflow ended': 1,
};

/** @param share of the passes of a point that every action passes, from 0 to 1 */
export function createKillPlan(seed: number, share: number): KillPlan {
  return ({ run, seq, attempt, point }) =>
    draw(seed, 'kill', run, seq, attempt, point) < share * weights[point];
}

export function nameOfPass({ seq, attempt, point }: PointPassed): string {
  return JSON.stringify([seq, attempt, point]);
}
