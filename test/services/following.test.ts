// What a core takes over from others: streams do not wait for one another, and each is read once.
import { describe, expect, it } from '@jest/globals';
import { amongProcesses, type Core, type StreamPlace } from '@action-ledger/application';
import { type EventStore } from '@action-ledger/event-store';
import { defineTool } from '@action-ledger/tools';
import { z } from 'zod';
import { inServices, propose, type ServicesWorld } from './world.ts';

const note = defineTool({
  name: 'note',
  input: z.object({ invoice: z.string() }),
  guarantee: 'manual',
  execute: () => null,
});

/** Of single streams. */
interface Reads {
  readonly under: string[];
  /** Until it resolves no read goes on. */
  gate: Promise<void>;
  broken: string | undefined;
}

function watched(store: EventStore, reads: Reads): EventStore {
  return {
    ...store,
    readStream: async (stream, from) => {
      reads.under.push(stream);
      await reads.gate;
      if (reads.broken === stream) throw new Error('It cannot be read.');
      return store.readStream(stream, from);
    },
  };
}

interface Given {
  readonly world: ServicesWorld;
  /** Another one has appended these actions, of which it does not know. */
  readonly core: Core;
  readonly places: readonly StreamPlace[];
  readonly reads: Reads;
}

function afterAnother(count: number, then: (given: Given) => Promise<void>): Promise<void> {
  const reads: Reads = { under: [], gate: Promise.resolve(), broken: undefined };
  const storeOf = (store: EventStore): EventStore => watched(store, reads);
  return inServices({ tools: [note], crew: amongProcesses, storeOf }, async (world) => {
    const [core, other] = [await world.openCaller('one'), await world.openCaller('other')];
    world.holdLog();
    const places: StreamPlace[] = [];
    for (let n = 0; n < count; n += 1) {
      const { actionId = '' } = await propose(other, 'note', { invoice: `${n}` });
      places.push({ stream: `action-${actionId}`, revision: 0 });
    }
    reads.under.length = 0;
    await then({ world, core, places, reads });
  });
}

/** @returns what lets them go on */
function hold(reads: Reads): () => void {
  let goOn = (): void => undefined;
  reads.gate = new Promise((resolve) => {
    goOn = resolve;
  });
  return goOn;
}

describe('what others have appended and told of', () => {
  it('is read a moment later, once, where nobody waits for it', () =>
    afterAnother(1, async ({ world, core, places, reads }) => {
      await core.hear(places);
      await core.hear(places);
      expect(reads.under).toHaveLength(0);
      await world.runtime.advance(250);
      expect(reads.under).toHaveLength(1);
      expect(places.every(core.isKnown)).toBe(true);
    }));

  it('is read at once where somebody does', () =>
    afterAnother(2, async ({ world, core, places, reads }) => {
      const [waited, other] = places;
      const actionId = waited?.stream.replace('action-', '') ?? '';
      const resting = core.ledger.rest(actionId, 10_000);
      await world.runtime.settle();
      reads.under.length = 0;
      await core.hear(places.map((place) => ({ ...place, revision: 1 })));
      expect(reads.under).toEqual([waited?.stream]);
      await world.runtime.advance(250);
      expect(reads.under).toContain(other?.stream);
      await world.runtime.advance(10_000);
      await resting;
    }));

  it('is read at once where it is much', () =>
    afterAnother(1, async ({ core, places, reads }) => {
      const many = Array.from({ length: 1_001 }, (_, n) => ({
        stream: `${places[0]?.stream.slice(0, -6) ?? ''}${String(n).padStart(4, '0')}.0`,
        revision: 0,
      }));
      await core.hear(many.slice(0, 1_000));
      expect(reads.under).toHaveLength(0);
      await core.hear(many);
      expect(reads.under).toHaveLength(1_001);
    }));

  it('is read again where that failed', () =>
    afterAnother(1, async ({ world, core, places, reads }) => {
      reads.broken = places[0]?.stream;
      await core.hear(places);
      await world.runtime.advance(250);
      reads.broken = undefined;
      expect(places.some(core.isKnown)).toBe(false);
      await world.runtime.advance(500);
      expect(places.every(core.isKnown)).toBe(true);
    }));
});

describe('what others have appended', () => {
  it('is read now and then where nothing tells of it, also without a duty', () =>
    afterAnother(1, async ({ world, core, places }) => {
      expect(places.some(core.isKnown)).toBe(false);
      await world.runtime.advance(6_000);
      expect(places.every(core.isKnown)).toBe(true);
    }));

  it('is read sixteen streams at a time', () =>
    afterAnother(20, async ({ world, core, places, reads }) => {
      const goOn = hold(reads);
      const followed = core.follow(places);
      await world.runtime.settle();
      expect(reads.under).toHaveLength(16);
      goOn();
      await followed;
      expect(places.every(core.isKnown)).toBe(true);
    }));

  it('is read once, however many are told of it', () =>
    afterAnother(1, async ({ world, core, places, reads }) => {
      const goOn = hold(reads);
      const followed = [core.follow(places), core.follow(places), core.follow(places)];
      await world.runtime.settle();
      goOn();
      await Promise.all(followed);
      expect(reads.under).toHaveLength(1);
    }));

  it('is taken over past a stream that cannot be read', () =>
    afterAnother(3, async ({ core, places, reads }) => {
      reads.broken = places[0]?.stream;
      await expect(core.follow(places)).rejects.toThrow('It cannot be read.');
      expect(places.map(core.isKnown)).toEqual([false, true, true]);
      reads.broken = undefined;
    }));
});
