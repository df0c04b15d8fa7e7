// A whole record verifies; every way to change it is named with its stream and event.
import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { sealEvents } from '@action-ledger/codec';
import {
  type ActionEvent,
  actionIdOf,
  chainStart,
  type EventData,
  streamOfAction,
} from '@action-ledger/domain';
import {
  createMemoryEventStore,
  type EventStore,
  type RecordedEvent,
  StoreFault,
} from '@action-ledger/event-store';
import { proveStore } from './prove-store.ts';
import { type Verification, verifyLedger } from './verify.ts';

const sha256 = (text: string): string => hash('sha256', text, 'base64url');
const at = Date.UTC(2026, 2, 1);
const keyHashes = ['one', 'two', 'three'].map(sha256);
const streams = keyHashes.map((keyHash) => streamOfAction(actionIdOf(keyHash, 0)));
const [first = '', second = '', third = ''] = streams;

/** Three refunds, each planned and dispatched in one append, then all succeeded. */
async function record(
  externalId: (action: number) => string = (action) => `re_${action}`,
): Promise<readonly RecordedEvent[]> {
  const store = createMemoryEventStore();
  let ids = 0;
  const hashes = streams.map(chainStart);
  const append = async (action: number, events: readonly ActionEvent[]): Promise<void> => {
    const stream = streams[action] ?? '';
    const stored = await store.readStream(stream);
    const context = { sha256, nextId: () => `id-${(ids += 1)}`, at };
    const sealed = sealEvents(context, hashes[action] ?? '', events);
    hashes[action] = sealed.hash;
    await store.append(stream, stored.at(-1)?.revision ?? 'no stream', sealed.events);
  };
  for (const action of streams.keys()) await append(action, dispatched(action));
  for (const action of streams.keys()) {
    const data = { attempt: 1, result: { ok: true }, externalId: externalId(action) };
    await append(action, [{ type: 'ActionSucceeded', data }]);
  }
  return store.events();
}

function dispatched(action: number): readonly ActionEvent[] {
  const planned: EventData['ActionPlanned'] = {
    tenant: 't1',
    tool: 'refund',
    epoch: 0,
    identityVersion: 1,
    arguments: { order: `o-${action}` },
    argumentsHash: `hash-${action}`,
    guarantee: 'lookup',
    validUntil: at + 1_000,
  };
  const sent = {
    attempt: 1,
    downstreamKey: `key-${action}`,
    deadlineAt: at + 500,
    inFlightMs: 900,
  };
  return [
    { type: 'ActionPlanned', data: planned },
    { type: 'ActionClaimed', data: { worker: 'w', leaseUntil: at + 1_000 } },
    { type: 'ActionDispatched', data: sent },
  ];
}

function verified(store: EventStore): Promise<Verification> {
  return verifyLedger(store, { sha256 });
}

async function after(
  change: (events: RecordedEvent[]) => readonly RecordedEvent[],
): Promise<Verification> {
  return verified(createMemoryEventStore({ events: change([...(await record())]) }));
}

/** A store whose positions are those of the events, gaps included. */
function sparse(events: readonly RecordedEvent[]): EventStore {
  const store = createMemoryEventStore();
  return {
    ...store,
    readAll: async ({ after: from, max }) =>
      events.filter(({ position }) => position > from).slice(0, max),
    head: async () => events.at(-1)?.position ?? 0,
  };
}

describe('verifyLedger', () => {
  it('finds nothing in a whole record', async () => {
    const events = await record();
    expect(await verified(createMemoryEventStore({ events }))).toEqual({
      streams: 3,
      events: 12,
      brokenInvariants: [],
      observed: { calls: 0, heldBack: 0 },
    });
  });

  it('names what the store finds wrong in its own index', async () => {
    const store: EventStore = {
      ...createMemoryEventStore({ events: await record() }),
      checkIndex: async () => ({
        streams: 3,
        rows: 6,
        reached: 5,
        faults: [{ stream: second, position: 11, what: 'is not to be found' }],
      }),
    };
    expect((await verified(store)).brokenInvariants).toEqual([
      {
        stream: second,
        invariant: 'index-leads-to-row',
        detail: 'position 11 is not to be found',
      },
    ]);
  });

  it('says that an event is there twice, not that another is missing', async () => {
    const { brokenInvariants } = await after((events) => {
      const [copy] = events;
      return copy === undefined ? events : [...events, { ...copy, position: events.length + 1 }];
    });
    expect(brokenInvariants[0]).toMatchObject({ invariant: 'chain-holds' });
    expect(brokenInvariants[0]?.detail).toMatch(/^revision 0 .*is there a second time/);
  });

  it('finds nothing in an empty one', async () => {
    expect(await verified(createMemoryEventStore())).toEqual({
      streams: 0,
      events: 0,
      brokenInvariants: [],
      observed: { calls: 0, heldBack: 0 },
    });
  });

  it.each([
    ['data', { data: '{"attempt":1,"result":{"ok":false}}' }],
    ['id', { id: 'another' }],
    ['type', { type: 'ActionFailed' }],
  ])('names the event whose %s was edited', async (_, edit) => {
    const { brokenInvariants } = await after((events) =>
      events.map((event) =>
        event.stream === second && event.revision === 3 ? { ...event, ...edit } : event,
      ),
    );
    expect(brokenInvariants).toEqual([
      {
        stream: second,
        invariant: 'chain-holds',
        detail: expect.stringMatching(/^revision 3 \(\w+, position 11\) was edited/),
      },
    ]);
  });

  it('names the event whose time was edited', async () => {
    const { brokenInvariants } = await after((events) =>
      events.map((event) =>
        event.position === 5
          ? { ...event, metadata: event.metadata.replace(String(at), String(at + 1)) }
          : event,
      ),
    );
    expect(brokenInvariants[0]).toMatchObject({ stream: second, invariant: 'chain-holds' });
    expect(brokenInvariants[0]?.detail).toContain('revision 1 (ActionClaimed, position 5)');
  });

  it('names an event that lost its hash', async () => {
    const { brokenInvariants } = await after((events) =>
      events.map((event) =>
        event.position === 1 ? { ...event, metadata: `{"at":${at}}` } : event,
      ),
    );
    expect(brokenInvariants[0]?.detail).toBe('revision 0 (ActionPlanned, position 1) has no hash');
  });

  it('names stream and position of an event that was deleted', async () => {
    const events = (await record()).filter(({ position }) => position !== 5);
    const { brokenInvariants } = await verified(sparse(events));
    expect(brokenInvariants).toEqual([
      {
        stream: '',
        invariant: 'positions-complete',
        detail: 'position 5 is missing: what was there was deleted',
      },
      {
        stream: second,
        invariant: 'chain-holds',
        detail:
          'revision 1 is missing: the next event of the stream is revision 2 (ActionDispatched, position 6)',
      },
    ]);
  });

  it('names the positions of a stream that was deleted whole', async () => {
    const events = (await record()).filter(({ stream }) => stream !== second);
    const { brokenInvariants } = await verified(sparse(events));
    expect(brokenInvariants.map(({ detail }) => detail)).toEqual([
      'positions 4 to 6 are missing: what was there was deleted',
      'position 11 is missing: what was there was deleted',
    ]);
  });

  it('says where the end of the log was cut off', async () => {
    const events = (await record()).slice(0, -1);
    const { brokenInvariants } = await verified(createMemoryEventStore({ events, mark: 12 }));
    expect(brokenInvariants).toMatchObject([{ stream: '', invariant: 'positions-complete' }]);
  });

  it('tells a whole backup from damage', async () => {
    const events = await record();
    const backup = (held: readonly RecordedEvent[], head: number): EventStore => ({
      ...createMemoryEventStore({ events: held }),
      condition: () => ({ kind: 'recovering', reason: 'a backup', mark: head, head, takenAt: at }),
    });
    const whole = await verified(backup(events, events.length));
    expect(whole).toMatchObject({ brokenInvariants: [], copy: { takenAt: at } });
    const cut = await verified(backup(events.slice(0, -1), events.length));
    expect(cut.brokenInvariants).toMatchObject([{ invariant: 'positions-complete' }]);
    expect(cut.copy).toBeUndefined();
  });

  it('names the positions that the store says it holds and does not give', async () => {
    const events = (await record()).slice(0, -1);
    const store: EventStore = { ...createMemoryEventStore({ events }), head: async () => 12 };
    expect((await verified(store)).brokenInvariants).toMatchObject([
      { invariant: 'positions-complete', detail: expect.stringContaining('position 12') },
    ]);
  });

  it('finds a stream that was moved whole', async () => {
    const moved = streamOfAction(actionIdOf(sha256('moved'), 0));
    const { brokenInvariants } = await after((events) =>
      events.map((event) => (event.stream === third ? { ...event, stream: moved } : event)),
    );
    expect(brokenInvariants).toMatchObject([{ stream: moved, invariant: 'chain-holds' }]);
  });

  it('goes on past a row that cannot be read, and names its stream', async () => {
    const events = await record();
    const whole = createMemoryEventStore({ events });
    const damaged: EventStore = {
      ...whole,
      readAll: async ({ after: from, max }) => {
        if (from < 3) return events.slice(from, 3);
        if (from >= 6) return events.slice(from, from + max);
        throw new StoreFault('store.corrupt', 'never', 'the row cannot be read', {
          detail: { stream: second, position: 4, through: 6 },
        });
      },
    };
    const found = await verified(damaged);
    expect(found.events).toBe(9);
    expect(found.brokenInvariants).toEqual([
      { stream: second, invariant: 'row-readable', detail: 'the row cannot be read' },
    ]);
  });

  it('checks what holds across streams', async () => {
    const events = await record(() => 're_same');
    const { brokenInvariants } = await verified(createMemoryEventStore({ events }));
    expect(brokenInvariants.map(({ invariant }) => invariant)).toEqual([
      'one-action-per-external-id',
      'one-action-per-external-id',
    ]);
  });

  it('misses no lease where nobody runs, and does where somebody does', async () => {
    const events = (await record()).slice(0, 9);
    const store = createMemoryEventStore({ events });
    expect((await verified(store)).brokenInvariants).toEqual([]);
    const running = await verifyLedger(store, { sha256, nowMs: at + 60_000 });
    expect(running.brokenInvariants.map(({ stream, invariant }) => [stream, invariant])).toEqual(
      streams.map((stream) => [stream, 'no-rest-past-the-lease']),
    );
  });
});

describe('the proof of another thread', () => {
  const changes: readonly (readonly [string, (event: RecordedEvent) => Partial<RecordedEvent>])[] =
    [
      ['nothing', () => ({})],
      ['data', ({ position }) => (position === 11 ? { data: '{"attempt":1}' } : {})],
      ['data that cannot be folded', ({ position }) => (position === 2 ? { data: 'null' } : {})],
      ['data that is no JSON', ({ position }) => (position === 2 ? { data: '{' } : {})],
      ['a type', ({ position }) => (position === 1 ? { type: 'ActionFailed' } : {})],
      ['a stream', ({ stream }) => (stream === third ? { stream: `${third}1` } : {})],
    ];

  it.each(changes)('leads to the same words: %s changed', async (_, change) => {
    const events = (await record(() => 're_same')).map((event) => ({ ...event, ...change(event) }));
    const store = createMemoryEventStore({ events });
    const proveElsewhere = (through: number | undefined) => proveStore(store, { sha256, through });
    expect(await verifyLedger(store, { sha256, proveElsewhere })).toEqual(await verified(store));
  });

  it('is believed, and where there is none the proof is made here', async () => {
    const store = createMemoryEventStore({ events: await record() });
    const lost = { stream: first, invariant: 'chain-holds', detail: 'told elsewhere' } as const;
    const proof = { streams: 3, events: 12, broken: [lost], soundThrough: new Map([[first, 3]]) };
    const told = await verifyLedger(store, { sha256, proveElsewhere: async () => proof });
    expect(told.brokenInvariants).toEqual([lost]);
    const none = await verifyLedger(store, { sha256, proveElsewhere: async () => undefined });
    expect(none).toEqual(await verified(store));
  });
});

describe('a projection', () => {
  it('is compared with the states that the events lead to, broken ones aside', async () => {
    const events = (await record()).map((event) =>
      event.stream === second && event.revision === 3 ? { ...event, id: 'another' } : event,
    );
    const asked: unknown[] = [];
    const wrong = { stream: first, invariant: 'projection-equals-fold', detail: 'd' } as const;
    const { brokenInvariants } = await verifyLedger(createMemoryEventStore({ events }), {
      sha256,
      compare: async function* ({ stateOf, through }) {
        expect(through).toBe(12);
        for (const stream of [first, second, 'action-none'])
          asked.push(stateOf(stream.slice('action-'.length)));
        yield wrong;
      },
    });
    expect(asked).toEqual([
      { revision: 3, status: 'succeeded', position: 10 },
      undefined,
      { revision: -1, status: 'new', position: 0 },
    ]);
    expect(brokenInvariants.at(-1)).toEqual(wrong);
  });

  it('of a ledger that runs is compared with what there was at the start', async () => {
    const whole = createMemoryEventStore({ events: await record() });
    const store: EventStore = { ...whole, head: async () => 9 };
    const { events, brokenInvariants } = await verifyLedger(store, { sha256, nowMs: at });
    expect({ events, brokenInvariants }).toEqual({ events: 9, brokenInvariants: [] });
  });
});

it('names a fold that the chain allows: an event that cannot follow', async () => {
  const store = createMemoryEventStore();
  const succeeded: ActionEvent = { type: 'ActionSucceeded', data: { attempt: 1, result: null } };
  const context = { sha256, nextId: () => 'id', at };
  const { events } = sealEvents(context, chainStart(first), [succeeded]);
  await store.append(first, 'no stream', events);
  const { brokenInvariants } = await verified(store);
  expect(brokenInvariants.map(({ invariant }) => invariant)).toContain('stream-folds');
});

describe('events that were given up', () => {
  it('tells events that were given up by a cut from those that an archived action stands for', async () => {
    const store = createMemoryEventStore({ events: await record() });
    await store.truncate([{ stream: first, before: 3 }]);
    const { brokenInvariants } = await verified(store);
    expect(brokenInvariants.filter(({ stream }) => stream === '')).toEqual([]);
    expect(brokenInvariants).toContainEqual({
      stream: first,
      invariant: 'chain-holds',
      detail: expect.stringContaining('revision 0 is missing'),
    });
  });

  it('names a stream of which other events were emptied than those before its first', async () => {
    const events = (await record()).filter(({ position }) => position !== 2);
    const place = { stream: first, revision: 1, position: 2, count: 1 };
    const store = createMemoryEventStore({ events, givenUp: [place] });
    const { brokenInvariants } = await verified(store);
    expect(brokenInvariants).toContainEqual({
      stream: first,
      invariant: 'chain-holds',
      detail: expect.stringContaining('the events that were emptied are not those before'),
    });
  });
});
