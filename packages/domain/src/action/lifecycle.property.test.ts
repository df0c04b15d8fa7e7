// Whatever is asked of an action, by whom, with which rules and however late: what must hold, holds.
// A run that fails prints its seed and the shortest sequence of commands that it found.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { everyCommand } from '../../test-support/every-command.ts';
import {
  type Asked,
  claim,
  dispatch,
  hour,
  lose,
  minute,
  planAction,
  record,
  rulesFor,
  second,
  start,
  timeout,
  verdict,
  watchedFor,
} from '../../test-support/samples.ts';
import { checkAction, type StreamEvent } from '../invariants.ts';
import { type ActionCommand } from './command.ts';
import { decide } from './decide.ts';
import { type Decision } from './decision.ts';
import { type ActionEvent } from './event.ts';
import { evolve } from './evolve.ts';
import { type Action, isEnded, isInDoubt, newAction } from './state.ts';
import { defaultRetry, type Guarantee } from './tool-rules.ts';
import { actionStatuses } from './transitions.ts';
import { absentAfterMs, inFlightMs } from './waits.ts';

interface Step {
  readonly before: Action;
  readonly command: ActionCommand;
  readonly event: ActionEvent;
  readonly place: { readonly revision: number; readonly at: number };
  readonly after: Action;
}

interface Run {
  readonly action: Action;
  readonly steps: readonly Step[];
  readonly refusals: readonly Refused[];
  /** States in which nothing more was to be appended: between the appends. */
  readonly rests: readonly Action[];
}

interface Refused {
  readonly state: Action;
  readonly command: ActionCommand;
  readonly wallMs: number;
  readonly decision: Decision;
}

interface Move {
  readonly asked: Asked;
  readonly waitMs: number;
}

const guarantees: readonly Guarantee[] = ['idempotent', 'lookup', 'natural', 'manual'];
const waits = [0, 1, second, 40 * second, minute, hour, 20 * hour];

const anyCommand = fc.oneof(
  ...Object.values(everyCommand).map((variants) => fc.constantFrom(...variants)),
);

/** The way that leads deep, beside everything that can come between. */
function movesFor(guarantee: Guarantee): fc.Arbitrary<Move> {
  const rules = rulesFor(guarantee);
  const patient = { rules, watched: watchedFor(hour) };
  const straight: readonly Asked[] = [
    claim(patient),
    claim({ rules, watched: watchedFor(30 * second) }),
    dispatch({ rules }),
    record(timeout, { rules }),
    lose({ rules }),
    verdict('absent', patient),
  ];
  const asked = fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...straight) },
    { weight: 2, arbitrary: anyCommand },
  );
  const waitMs = fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.constantFrom(...waits) },
  );
  return fc.record({ asked, waitMs });
}

const runs = fc
  .constantFrom(...guarantees)
  .chain((guarantee) =>
    fc.record({
      first: fc.constantFrom(...beginnings(guarantee)),
      moves: fc.array(movesFor(guarantee), { minLength: 1, maxLength: 30, size: 'max' }),
    }),
  )
  .map(({ first, moves }) => play([{ asked: first, waitMs: 0 }, ...moves]));

function beginnings(guarantee: Guarantee): readonly Asked[] {
  const rules = rulesFor(guarantee);
  const withUndo = rulesFor(guarantee, { undoWindowMs: second });
  const approval = { votes: 1, ownVote: false, expiresAfterMs: hour };
  const sender = { worker: 'w-1', downstreamKey: 'key-1' };
  return [
    planAction({ rules }),
    planAction({ rules, dispatch: sender }),
    planAction({ rules: withUndo }),
    planAction({ rules: withUndo, approval }),
  ];
}

function play(moves: readonly Move[]): Run {
  let action = newAction('action-1');
  let now = start;
  const steps: Step[] = [];
  const rests: Action[] = [action];
  const refusals: Refused[] = [];
  for (const { asked, waitMs } of moves) {
    now += waitMs;
    const command = typeof asked === 'function' ? asked(action) : asked;
    const decision = decide(action, command, { wallMs: now });
    if (decision.kind === 'refusal')
      refusals.push({ state: action, command, wallMs: now, decision });
    const events = decision.kind === 'accepted' ? decision.events : [];
    for (const event of events) {
      const place = { revision: action.revision + 1, at: now };
      const after = evolve(action, event, place);
      steps.push({ before: action, command, event, place, after });
      action = after;
    }
    rests.push(action);
  }
  return { action, steps, refusals, rests };
}

const holds = (name: string, check: (run: Run) => void): void => {
  it(name, () => {
    fc.assert(fc.property(runs, check), { numRuns: 1_000 });
  });
};

const isSuccess = ({ event }: Step): boolean =>
  event.type === 'ActionSucceeded' ||
  (event.type === 'ActionReconciled' && event.data.verdict === 'found');

describe('any sequence of commands', () => {
  holds('keeps the invariants of its stream', ({ steps }) => {
    // At the time of its beginning: no sweep comes in these runs to end what rests.
    const events: readonly StreamEvent[] = steps;
    expect(checkAction('action-1', events, { now: start })).toEqual([]);
  });

  holds('is replayed to the state that was lived through', ({ steps, action }) => {
    let replayed = newAction('action-1');
    for (const { event, place } of steps) replayed = evolve(replayed, event, place);
    expect(replayed).toEqual(action);
  });

  holds('is refused without an event or a change, and for the same reason again', (run) => {
    const traces = run.refusals.filter(({ state, command, wallMs, decision }) => {
      const text = JSON.stringify(state);
      const again = JSON.stringify(decide(state, command, { wallMs }));
      const isSame = again === JSON.stringify(decision) && text === JSON.stringify(state);
      return 'events' in decision || !isSame;
    });
    expect(traces).toEqual([]);
  });

  holds('succeeds at most once, and keeps what it recorded', ({ steps, action }) => {
    expect(steps.filter(isSuccess).length).toBeLessThanOrEqual(1);
    const recorded = steps.find(isSuccess)?.after.outcome;
    expect(action.outcome).toEqual(recorded);
  });

  holds('dispatches only under a live claim, in time, and so many times', ({ steps }) => {
    const dispatches = steps.filter(({ event }) => event.type === 'ActionDispatched');
    expect(dispatches.length).toBeLessThanOrEqual(defaultRetry.attemptsMax);
    for (const { before, place } of dispatches) {
      expect(place.at).toBeLessThan(before.claim?.leaseUntil ?? 0);
      expect(place.at).toBeLessThan(before.validUntil);
      expect(before.cancelRequested).toBeUndefined();
    }
    expect(new Set(dispatches.map(({ after }) => after.downstreamKey)).size).toBeLessThanOrEqual(1);
  });

  holds('never sends in doubt what may not be sent twice', ({ steps }) => {
    for (const { before, event } of steps) {
      if (event.type !== 'ActionDispatched' || !isInDoubt(before)) continue;
      expect(['idempotent', 'natural']).toContain(before.guarantee);
    }
  });

  holds('claims in doubt only after the in-flight bound', ({ steps }) => {
    for (const { before, command, event } of steps) {
      if (event.type !== 'ActionClaimed' || command.type !== 'Claim' || !isInDoubt(before))
        continue;
      expect(command.watched.doubtMs).toBeGreaterThanOrEqual(inFlightMs(before));
    }
  });

  holds('takes absent for true only after every wait', ({ steps }) => {
    for (const { before, command, event } of steps) {
      if (event.type !== 'ActionReconciled' || event.data.verdict !== 'absent') continue;
      if (command.type === 'ReportEvidence') {
        expect(command.watched?.doubtMs ?? 0).toBeGreaterThanOrEqual(inFlightMs(before));
      }
      if (command.type !== 'RecordVerdict' && command.type !== 'Settle') continue;
      expect(command.watched.doubtMs).toBeGreaterThanOrEqual(absentAfterMs(before, command.rules));
    }
  });

  holds('ends in doubt only where an operator forced it', ({ rests, steps }) => {
    const forced = steps.some(
      ({ event }) => event.type === 'ActionFailed' && event.data.forced !== undefined,
    );
    for (const action of rests) {
      if (isEnded(action) && isInDoubt(action)) expect(forced).toBe(true);
      if (action.status === 'ready' || action.status === 'planned') {
        expect(isInDoubt(action)).toBe(false);
      }
      if (action.status === 'unknown') expect(isInDoubt(action)).toBe(true);
    }
  });

  holds('sends nothing after a cancel was asked for', ({ steps }) => {
    const asked = steps.findIndex(
      ({ event }) => event.type === 'CancelRequested' || event.type === 'ActionCancelled',
    );
    const after = asked < 0 ? [] : steps.slice(asked);
    expect(after.filter(({ event }) => event.type === 'ActionDispatched')).toEqual([]);
  });

  holds('leaves a claim to whoever may act under it', ({ rests }) => {
    const wrong = rests.filter(
      ({ status, claim: held }) =>
        (held !== undefined) !== (status === 'claimed' || status === 'dispatched'),
    );
    expect(wrong).toEqual([]);
  });
});

describe('the runs of these properties', () => {
  it('reach every status of an action, and second dispatches in doubt', () => {
    const sample = fc.sample(runs, { numRuns: 4_000, seed: 7 });
    const reached = new Set(sample.flatMap(({ rests }) => rests.map(({ status }) => status)));
    const missed = actionStatuses.filter((status) => !reached.has(status));
    expect(missed).toEqual(['reserved']);
    const inDoubt = sample.some(({ steps }) =>
      steps.some(({ before, event }) => event.type === 'ActionDispatched' && isInDoubt(before)),
    );
    expect(inDoubt).toBe(true);
  });
});
