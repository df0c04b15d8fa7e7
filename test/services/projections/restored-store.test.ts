// A store that is put back behind its topics: positions and revisions are given again to other events.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventPlaceOf, LogFault, type LogRecord, type Publisher } from '@action-ledger/event-log';
import { type EventStore, type Loss, StoreFault } from '@action-ledger/event-store';
import { openProjectionsWorld, type ProjectionsWorld, publishable, second } from './world.ts';

let world: ProjectionsWorld;

beforeEach(async () => {
  world = await openProjectionsWorld();
});

afterEach(async () => {
  await world.close();
});

const generationOf = (record: LogRecord): number => eventPlaceOf(record)?.generation ?? 0;

/** Every event of the store, once and in the order of its stream, and the states that they lead to. */
async function expectWrittenAnew(generation: number): Promise<void> {
  const told = (await world.events()).filter((record) => generationOf(record) === generation);
  const ids = told.map((record) => eventPlaceOf(record)?.eventId);
  expect([...ids].sort()).toEqual([...publishable(world.backup())].sort());
  const { newest } = await world.states();
  for (const [action, fold] of await world.folds()) expect(newest.get(action)).toBe(fold);
}

describe('a projector over a store that was put back', () => {
  it('writes the topics anew after a restart, as another generation', async () => {
    const one = await world.project('a');
    await world.pay('i-1', 'lost-1');
    const backup = world.backup();
    await world.pay('i-2', 'i-3');
    const gone = await world.actionOf('i-2');
    const stopped = one.stop();
    await world.runtime.advance(second);
    await stopped;
    await world.restore(backup);
    await world.pay('i-4', 'i-5');
    await world.project('a');
    await expectWrittenAnew(1);
    expect(world.faults.filter((each) => each.includes('generation 1'))).toHaveLength(1);
    // What the store does not know any more is still told, until the auditor has looked.
    expect((await world.states()).newest.has(gone)).toBe(true);
    await world.audit();
    const { newest, last } = await world.states();
    expect(newest).toEqual(await world.folds());
    expect(last).toEqual(newest);
    expect(world.breaches).toEqual([]);
    await world.project('b');
    await world.pay('i-6');
    expect(Math.max(...(await world.events()).map(generationOf))).toBe(1);
  });

  it('FW25 has it noted before anything is written anew, and goes on where that was done', async () => {
    const one = await world.project('a');
    await world.pay('i-1');
    const backup = world.backup();
    await world.pay('i-2');
    const told = Math.max(
      ...(await world.events()).map((record) => eventPlaceOf(record)?.position ?? 0),
    );
    void one.stop();
    await world.runtime.advance(second);
    await world.restore(backup);
    const head = await world.store.head();
    const noted: Loss[] = [];
    let isAway = true;
    const store: EventStore = {
      ...world.store,
      noteLoss: async (loss) => {
        if (isAway) throw new StoreFault('store.unavailable', 'unsafe', 'away');
        noted.push(loss);
        return true;
      },
    };
    await world.project('a', { store });
    await world.runtime.advance(20 * second);
    expect(Math.max(...(await world.events()).map(generationOf))).toBe(0);
    isAway = false;
    await world.runtime.advance(60 * second);
    expect(noted).toMatchObject([{ last: told, recordedAt: expect.any(Number) }]);
    expect(noted[0]?.first).toBeGreaterThan(head);
    await expectWrittenAnew(1);
  });

  it('notices it while it runs, and though all of the lost places are given again', async () => {
    await world.project('a');
    await world.pay('i-1');
    const backup = world.backup();
    await world.pay('i-2');
    await world.restore(backup);
    await world.pay('i-3', 'i-4', 'i-5');
    await world.runtime.advance(30 * second);
    await expectWrittenAnew(1);
    await world.restore(backup);
    await world.pay('i-6');
    await world.runtime.advance(30 * second);
    await expectWrittenAnew(2);
  });

  it('begins once more where it died before everything was written', async () => {
    await world.project('a').then((one) => one.stop());
    await world.runtime.advance(second);
    await world.pay('i-1', 'i-2');
    const backup = world.backup();
    const full = await world.project('a');
    await world.pay('i-3');
    void full.stop();
    await world.runtime.advance(second);
    await world.restore(backup);
    let batches = 0;
    const dying = await world.project('a', {
      store: {
        ...world.store,
        append: (stream, expected, events) =>
          events.some(({ type }) => type === 'SeatKept' || type === 'SeatLeft')
            ? Promise.reject(new StoreFault('store.unavailable', 'safe', 'away'))
            : world.store.append(stream, expected, events),
      },
      log: {
        newest: (topics) => world.log.newest(topics),
        openPublisher: async (options): Promise<Publisher> => {
          const publisher = await world.log.openPublisher(options);
          return {
            close: () => publisher.close(),
            publish: async (records) => {
              batches += 1;
              if (batches > 1) throw new LogFault('log.unavailable', 'unsafe', 'no answer');
              await publisher.publish(records.slice(0, 3));
              throw new LogFault('log.unavailable', 'unsafe', 'no answer');
            },
          };
        },
      },
    });
    void dying.stop();
    await world.runtime.advance(20 * second);
    await world.project('b');
    await world.runtime.advance(20 * second);
    await expectWrittenAnew(2);
  });

  it('goes on as it was where another takes over, or where events were given up', async () => {
    const one = await world.project('a');
    await world.pay('i-1', 'i-2');
    void one.stop();
    await world.runtime.advance(second);
    const stream = `action-${await world.actionOf('i-2')}`;
    const last = (await world.store.readStream(stream)).at(-1)?.revision ?? 0;
    await world.store.truncate([{ stream, before: last }]);
    await world.project('b');
    await world.pay('i-3');
    expect((await world.events()).map(generationOf).every((each) => each === 0)).toBe(true);
    expect(world.faults).toEqual([]);
  });
});
