// given(...events).when(command).then(events), and on from there: a story of one action in which time
// stands still unless the test says `wait`. Every accepted decision is folded, so an event that
// cannot follow fails the test that made it.
import { expect } from '@jest/globals';
import {
  type Action,
  type ActionEvent,
  type ActionRefusalCode,
  type ActionStatus,
  decide,
  type Decision,
  type EventType,
  evolve,
  newAction,
} from '../src/index.ts';
import { type Asked, start } from './samples.ts';

type Expected = EventType | { readonly type: EventType; readonly data: object };

export interface Story {
  readonly action: Action;
  /** Every event so far, the given ones first. */
  readonly events: readonly ActionEvent[];
  /** Of the last command. */
  readonly decision: Decision | undefined;
  wait(ms: number): Story;
  when(command: Asked): Story;
  /** The last command was accepted with exactly these events; of their data what is named here. */
  then(...expected: readonly Expected[]): Story;
  /** The last command was refused; `expected` came to light with it. */
  thenRefused(code: ActionRefusalCode, ...expected: readonly Expected[]): Story;
  thenIs(status: ActionStatus): Story;
}

export function given(...events: readonly ActionEvent[]): Story {
  return story(fold(events), events, 0, undefined);
}

export function fold(events: readonly ActionEvent[], id = 'action-1', at = start): Action {
  let action = newAction(id);
  for (const event of events) action = evolve(action, event, { revision: action.revision + 1, at });
  return action;
}

function story(
  action: Action,
  events: readonly ActionEvent[],
  nowMs: number,
  decision: Decision | undefined,
): Story {
  const self: Story = {
    action,
    events,
    decision,
    wait: (ms) => story(action, events, nowMs + ms, decision),
    when: (asked) => {
      const command = typeof asked === 'function' ? asked(action) : asked;
      const wallMs = start + nowMs;
      const made = decide(action, command, { wallMs });
      let next = action;
      for (const event of eventsOf(made)) {
        next = evolve(next, event, { revision: next.revision + 1, at: wallMs });
      }
      return story(next, [...events, ...eventsOf(made)], nowMs, made);
    },
    then: (...expected) => {
      expect(refusalOf(decision)).toBeUndefined();
      expectEvents(decision, expected);
      return self;
    },
    thenRefused: (code, ...expected) => {
      expect(refusalOf(decision)).toBe(code);
      expectEvents(decision, expected);
      return self;
    },
    thenIs: (status) => {
      expect(action.status).toBe(status);
      return self;
    },
  };
  return self;
}

function expectEvents(decision: Decision | undefined, expected: readonly Expected[]): void {
  const wanted = expected.map((each) => (typeof each === 'string' ? { type: each } : each));
  expect(eventsOf(decision)).toMatchObject(wanted);
}

export function eventsOf(decision: Decision | undefined): readonly ActionEvent[] {
  return decision?.kind === 'accepted' ? decision.events : [];
}

export function refusalOf(decision: Decision | undefined): ActionRefusalCode | undefined {
  return decision?.kind === 'accepted' ? decision.refused?.code : decision?.code;
}
