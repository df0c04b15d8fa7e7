// Knows whose action passes a point of the write path, and ends the worker where that was drawn.
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Ledger, type WritePoint } from '@action-ledger/client';
import { type KillGate } from './kill-gate.ts';
import { type KillPlan, nameOfPass, type PointPassed } from './kill-plan.ts';
import { settling } from './settling.ts';
import { type PendingDelivery } from './worker-messages.ts';

/** A call under way, as far as its kills are concerned. */
interface Call {
  readonly run: string;
  readonly seq: number;
  /** Passes that have ended a worker already. */
  readonly spent: Set<string>;
}

interface Watched {
  readonly call: Call | undefined;
  dispatches: number;
}

export interface Executioner {
  /** A call may pass points from now on. */
  readonly expect: (pending: PendingDelivery) => void;
  /** Runs a proposal for the call that is expected of the run. */
  readonly within: <Result>(run: string, propose: () => Promise<Result>) => Promise<Result>;
  readonly opened: (ledger: Pick<Ledger, 'load'>) => void;
  /** To be told every point. */
  readonly passed: (point: WritePoint, actionId: string) => void | Promise<void>;
}

export interface Means {
  readonly gate: KillGate;
  readonly plan: KillPlan;
  /** On record before anything else can happen. */
  readonly log: (pass: PointPassed) => void;
  readonly die: () => void;
}

export function createExecutioner(means: Means): Executioner {
  const proposing = new AsyncLocalStorage<Call | undefined>();
  const calls = new Map<string, Call>();
  const watched = new Map<string, Watched>();
  const ledger = settling<Pick<Ledger, 'load'>>();
  let isOpen = false;

  /** An action that an earlier worker has left: its tenant tells whose it is. */
  const found = async (actionId: string): Promise<Watched> => {
    const loaded = await (await ledger.promise).load(actionId);
    const known = watched.get(actionId);
    if (known !== undefined) return known;
    const action = loaded.kind === 'action' ? loaded.action : undefined;
    const call = calls.get(action?.tenant ?? '');
    const each = { call, dispatches: action?.attempts.length ?? 0 };
    watched.set(actionId, each);
    return each;
  };
  return {
    expect: ({ delivery, spent }) => {
      const { tenant: run, seq } = delivery;
      if (calls.get(run)?.seq !== seq) calls.set(run, { run, seq, spent: new Set(spent) });
    },
    within: (run, propose) => proposing.run(calls.get(run), propose),
    opened: (opened) => {
      isOpen = true;
      ledger.resolve(opened);
    },
    passed: (point, actionId) => {
      if (point === 'before plan' && !watched.has(actionId))
        watched.set(actionId, { call: proposing.getStore(), dispatches: 0 });
      const known = watched.get(actionId);
      if (known !== undefined) {
        if (point === 'dispatched') known.dispatches += 1;
        return pass(means, known, point);
      }
      // The opening itself waits for this one; there is no ledger yet to ask whose it is.
      if (point === 'undo recorded' && !isOpen) return;
      return found(actionId).then((each) => pass(means, each, point));
    },
  };
}

function pass(means: Means, watched: Watched, point: WritePoint): void | Promise<void> {
  const { call, dispatches } = watched;
  if (call === undefined) return;
  const isBefore = point === 'before plan' || point === 'planned' || point === 'claimed';
  const attempt = isBefore ? dispatches + 1 : dispatches;
  // A second delivery of the call is at the same point, and must not pass it.
  if (means.gate.isDying(call.run) && point !== 'sending') return means.gate.dieHere(call.run);
  const here = { run: call.run, seq: call.seq, attempt, point };
  if (isDrawn(means, call, here)) {
    call.spent.add(nameOfPass(here));
    means.log(here);
    if (point !== 'sending') return means.gate.dieHere(call.run);
    // In the tick of the send nobody can wait: the others stand still already.
    means.die();
  }
  const next: PointPassed = { ...here, point: 'sending' };
  if (isBefore && isDrawn(means, call, next)) return means.gate.standStill(call.run);
}

function isDrawn({ plan }: Means, { spent }: Call, pass: PointPassed): boolean {
  return plan(pass) && !spent.has(nameOfPass(pass));
}
