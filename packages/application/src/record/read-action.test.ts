// An action that is known here is read whole all the same: what it was folded to before is gone on from only
// where the chain says that the events before are the same.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hash } from 'node:crypto';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import { type CallerWorld, callerWorld, handed } from '../../test-support/caller-world.ts';
import { readAction } from './read-action.ts';

const sha256 = (text: string): string => hash('sha256', text, 'base64url');

let world: CallerWorld;
let actionId: string;
let events: readonly RecordedEvent[];

beforeEach(async () => {
  world = await callerWorld();
  const held = await handed(world, 'agent/1');
  await world.outcome(held);
  ({ actionId } = held);
  events = await world.store.readStream(`action-${actionId}`);
});

afterEach(() => world.close());

function reading(stream: readonly RecordedEvent[], known?: Parameters<typeof readAction>[2]) {
  const store = { readStream: async () => stream } as unknown as EventStore;
  return readAction({ store, sha256 }, actionId, known);
}

async function knownAt(revision: number) {
  const folded = await reading(events.slice(0, revision + 1));
  if (folded.kind === 'broken') throw new Error(folded.reason);
  return { action: { ...folded.action, tool: 'as known' }, hash: folded.hash };
}

describe('an action that is known', () => {
  it('goes on from there, and is what it is when it is read from its first event', async () => {
    const whole = await reading(events);
    const { action, hash: last } = await knownAt(1);
    expect(await reading(events, { action, hash: last })).toMatchObject({
      kind: 'folded',
      action: { tool: 'as known', status: 'succeeded', revision: events.length - 1 },
    });
    expect(await reading(events, { action: { ...action, tool: 'pay' }, hash: last })).toEqual(
      whole,
    );
  });

  it('is read from its first event where another is at its place', async () => {
    const { action } = await knownAt(1);
    expect(await reading(events, { action, hash: 'of another time' })).toMatchObject({
      action: { tool: 'pay', status: 'succeeded' },
    });
    expect(await reading(events.slice(0, 1), await knownAt(2))).toMatchObject({
      action: { tool: 'pay', revision: 0 },
    });
  });

  it('is damaged where an event that was folded before is', async () => {
    const known = await knownAt(2);
    const damaged = events.map((event, place) =>
      place === 1 ? { ...event, data: event.data.replace('agent', 'other') } : event,
    );
    expect(await reading(damaged, known)).toMatchObject({ kind: 'broken', revision: 1 });
  });
});
