// The lifecycle table: what it allows some decision brings about, and what it does not allow cannot
// be folded.
import { describe, expect, it } from '@jest/globals';
import { everyCommand } from '../../test-support/every-command.ts';
import { eventsOf, fold, given, type Story } from '../../test-support/given.ts';
import {
  type Asked,
  claim,
  day,
  dispatch,
  event,
  hour,
  inStatus,
  minute,
  plan,
  planAction,
  plannedFor,
  record,
  refused,
  resent,
  rulesFor,
  timeout,
  vote,
} from '../../test-support/samples.ts';
import { type ActionEvent, type EventType } from './event.ts';
import { evolve, ImpossibleEvent } from './evolve.ts';
import { type Action, type ActionStatus, newAction } from './state.ts';
import { actionStatuses, eventTypes, isEventType, transitionsFrom } from './transitions.ts';

type Step = `${ActionStatus} + ${EventType} = ${ActionStatus}`;

const natural = rulesFor('natural');
const withUndo = rulesFor('idempotent', { undoWindowMs: minute });
const asked = { votes: 1, ownVote: false, expiresAfterMs: hour };

/** Where the walk sets out from: the sample of each status, and the stories that lead off their path. */
const starts: readonly Story[] = [
  ...actionStatuses.map((status) => given(...inStatus[status])),
  given(...resent),
  given(...resent.slice(0, -1)),
  given(
    plannedFor('natural'),
    event('ActionClaimed'),
    event('ActionDispatched'),
    event('ActionOutcomeUnknown'),
  ),
  given(...inStatus.unknown, event('ActionReconciled')),
  given().when(planAction({ plan: { ...plan, after: 'undoer' }, approval: asked })),
  given().when(planAction({ plan: { ...plan, after: 'undoer' } })),
  given().when(planAction({ approval: asked, rules: withUndo })),
  given(
    ...inStatus.unknown,
    event('ActionReconciled'),
    event('ActionClaimed'),
    event('ActionDispatched', { attempt: 2 }),
  ),
];

/** Every step of the table that some decision makes within three commands of a start. */
function walk(): ReadonlySet<Step> {
  const commands: readonly Asked[] = [
    ...Object.values(everyCommand).flat(),
    claim({ rules: natural, watched: { doubtMs: day, firstDispatchMs: 0 } }),
    dispatch({ rules: natural }),
    record(timeout, { rules: natural }),
    record(refused, { rules: natural }),
    vote(),
  ];
  const steps = new Set<Step>();
  const seen = new Set<string>();
  let frontier = [...starts];
  for (const each of starts)
    note(steps, fold([]), eventsOf(each.decision).length > 0 ? each.events : []);
  for (let depth = 0; depth < 2; depth += 1) {
    const next: Story[] = [];
    for (const from of frontier) {
      for (const waited of [0, day]) {
        for (const command of commands) {
          const to = from.wait(waited).when(command);
          if (to.action === from.action) continue;
          note(steps, from.action, eventsOf(to.decision));
          const shape = shapeOf(to);
          if (!seen.has(shape)) next.push(to);
          seen.add(shape);
        }
      }
    }
    frontier = next;
  }
  return steps;
}

/** Stories of one shape lead on alike. */
function shapeOf({ action, events }: Story): string {
  const { status, attempts, approval, incidents, undoneBy, after } = action;
  const states = attempts.map(({ state }) => state);
  return JSON.stringify([
    events.at(-1)?.type,
    status,
    states,
    approval?.decided,
    incidents.length > 0,
    undoneBy,
    after,
  ]);
}

function note(steps: Set<Step>, before: Action, events: readonly ActionEvent[]): void {
  let action = before;
  for (const each of events) {
    const from = action.status;
    action = evolve(action, each, { revision: action.revision + 1, at: 0 });
    steps.add(`${from} + ${each.type} = ${action.status}`);
    if (each.type !== 'ActionArchived') continue;
    // What came before it may be gone.
    const begun = evolve(newAction(action.id), each, { revision: action.revision, at: 0 });
    expect(begun).toEqual(action);
    steps.add(`new + ${each.type} = ${begun.status}`);
  }
}

describe('the lifecycle table', () => {
  const allowed = actionStatuses.flatMap((from) =>
    eventTypes.flatMap((type) =>
      transitionsFrom(from, type).map((to): Step => `${from} + ${type} = ${to}`),
    ),
  );
  const made = walk();

  it('allows nothing that no decision makes', () => {
    expect(allowed.filter((step) => !made.has(step))).toEqual([]);
  });

  it('allows everything that a decision makes', () => {
    expect([...made].filter((step) => !allowed.includes(step))).toEqual([]);
  });

  it.each(actionStatuses)('refuses to fold in %s what it does not allow', (from) => {
    const action = fold(inStatus[from]);
    for (const type of eventTypes) {
      if (transitionsFrom(from, type).length > 0) continue;
      const place = { revision: action.revision + 1, at: 0 };
      expect(() => evolve(action, event(type), place)).toThrow(ImpossibleEvent);
    }
  });

  it('knows its event types from others', () => {
    expect(isEventType('ActionPlanned')).toBe(true);
    expect(isEventType('toString')).toBe(false);
  });

  it('refuses an event that it does not know', () => {
    const strange = { type: 'ActionBlessed', data: {} } as unknown as ActionEvent;
    expect(() => evolve(fold(inStatus.ready), strange, { revision: 1, at: 0 })).toThrow(
      'ActionBlessed cannot follow in status ready',
    );
  });
});
