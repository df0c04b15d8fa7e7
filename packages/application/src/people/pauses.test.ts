import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  createMemoryEventStore,
  type EventStore,
  type MemoryEventStore,
} from '@action-ledger/event-store';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { createBurstWatch, usualBurst } from './burst-watch.ts';
import { createPauses, type Pause, type Pauses, type PauseScope } from './pauses.ts';

function setUp(): {
  readonly open: (of?: EventStore) => Pauses;
  readonly store: MemoryEventStore;
  readonly told: readonly Pause[];
} {
  const runtime = createVirtualRuntime();
  const store = createMemoryEventStore();
  const told: Pause[] = [];
  const sha256 = (text: string): string => hash('sha256', text, 'base64url');
  const clock = { nowMs: () => runtime.clock.wallMs() };
  const open = (of: EventStore = store): Pauses =>
    createPauses({ store: of, sha256, clock, runtime }, (pause) => told.push(pause));
  return { open, store, told };
}

const because = { by: 'ann', reason: 'the provider is down' };
const tellAll = (pauses: Pauses): readonly (readonly string[])[] =>
  ['t-1', 't-2'].map((tenant) => [
    ...['pay', 'mail'].filter((tool) => pauses.why(tenant, tool) !== undefined),
  ]);

describe('a pause', () => {
  it.each<[string, PauseScope, readonly (readonly string[])[]]>([
    [
      'of everything',
      {},
      [
        ['pay', 'mail'],
        ['pay', 'mail'],
      ],
    ],
    ['of a tenant', { tenant: 't-1' }, [['pay', 'mail'], []]],
    ['of a tool', { tool: 'pay' }, [['pay'], ['pay']]],
    ['of a tool of a tenant', { tenant: 't-1', tool: 'pay' }, [['pay'], []]],
  ])('%s stops that and nothing else, until it is resumed', async (_what, scope, stopped) => {
    const { open } = setUp();
    const pauses = open();
    await pauses.pause({ ...scope, ...because });
    expect(tellAll(pauses)).toEqual(stopped);
    const ended = { ...scope, by: 'bob', reason: 'it is up', revisionSeen: 0 };
    expect(await pauses.resume(ended)).toMatchObject(because);
    expect(tellAll(pauses)).toEqual([[], []]);
  });

  it('outlives its process, and is seen by others when they refresh', async () => {
    const { open } = setUp();
    const [one, other] = [open(), open()];
    await one.pause({ tool: 'pay', ...because });
    expect(other.why('t-1', 'pay')).toBeUndefined();
    await other.refresh();
    expect(other.why('t-1', 'pay')).toBe('This tool is paused: the provider is down.');
    expect(other.list()).toMatchObject([{ tool: 'pay', by: 'ann' }]);
    await other.resume({ tool: 'pay', ...because, revisionSeen: 0 });
    await one.refresh();
    expect(one.list()).toEqual([]);
  });

  it('that begins while the others are being read is kept', async () => {
    const { open, store } = setUp();
    let held: Promise<void> | undefined;
    const pauses = open({
      ...store,
      readStream: async (...args) => {
        const until = held;
        const found = await store.readStream(...args);
        await until;
        return found;
      },
    });
    let release = (): void => undefined;
    held = new Promise((resolve) => (release = resolve));
    const refreshed = pauses.refresh();
    held = undefined;
    await pauses.pause({ tool: 'pay', ...because });
    release();
    await refreshed;
    expect(pauses.list()).toMatchObject([{ tool: 'pay' }]);
  });

  it('said again is the first one, and told once', async () => {
    const { open, told } = setUp();
    const pauses = open();
    await pauses.pause({ tool: 'pay', ...because });
    const again = await open().pause({ tool: 'pay', by: 'bob', reason: 'me too' });
    expect(again).toMatchObject(because);
    expect(told).toHaveLength(1);
  });

  it('is ended by its own scope only, and there must be one', async () => {
    const pauses = setUp().open();
    await pauses.pause(because);
    expect(await pauses.resume({ tool: 'pay', ...because, revisionSeen: 0 })).toMatchObject({
      code: 'pause.none',
      message: 'Nothing to resume: there is no pause of tool "pay".',
    });
    expect(pauses.why('t-1', 'pay')).toBe('Everything is paused: the provider is down.');
  });

  it('is ended by whoever saw it, and not by whoever saw the one before', async () => {
    const { open } = setUp();
    const [one, other] = [open(), open()];
    const seen = await one.pause({ tool: 'pay', ...because });
    expect(seen).toMatchObject({ revision: 0 });
    await other.resume({ tool: 'pay', ...because, revisionSeen: 0 });
    await other.pause({ tool: 'pay', by: 'bob', reason: 'a theft' });
    const stale = { tool: 'pay', by: 'ann', reason: 'the provider is up', revisionSeen: 0 };
    expect(await one.resume(stale)).toMatchObject({
      code: 'pause.stale',
      detail: { by: 'bob', reason: 'a theft', revision: 2 },
    });
    await one.refresh();
    expect(one.why('t-1', 'pay')).toBe('This tool is paused: a theft.');
    expect(await one.resume({ ...stale, revisionSeen: 2 })).toMatchObject({ by: 'bob' });
  });

  it('whose record was edited by hand ends for nobody: everything is paused', async () => {
    const { open, store } = setUp();
    await open().pause({ tool: 'pay', ...because });
    const edited = store
      .events()
      .map((event) => ({ ...event, data: event.data.replace('pay', 'mail') }));
    const other = open(createMemoryEventStore({ events: edited }));
    await other.refresh();
    expect(other.why('t-1', 'pay')).toContain(
      'Everything is paused: the record of pauses is damaged',
    );
    await expect(other.resume({ tool: 'mail', ...because, revisionSeen: 0 })).rejects.toMatchObject(
      {
        code: 'store.corrupt',
      },
    );
  });

  it('of another tenant is no news for this one', async () => {
    const pauses = setUp().open();
    await pauses.pause({ tenant: 't-secret', tool: 'pay', ...because });
    expect(pauses.why('t-secret', 'pay')).not.toContain('t-secret');
    expect(pauses.why('t-1', 'pay')).toBeUndefined();
  });
});

describe('a burst', () => {
  it('is five unknowns of one tool within a minute, told once', async () => {
    const runtime = createVirtualRuntime();
    const see = createBurstWatch(runtime.clock, usualBurst);
    const seen: boolean[] = [];
    for (let each = 0; each < 4; each += 1) seen.push(see('pay'));
    expect(see('mail')).toBe(false);
    await runtime.advance(59_999);
    seen.push(see('pay'), see('pay'));
    expect(seen).toEqual([false, false, false, false, true, false]);
  });

  it('is none where they come slowly', async () => {
    const runtime = createVirtualRuntime();
    const see = createBurstWatch(runtime.clock, usualBurst);
    for (let each = 0; each < 20; each += 1) {
      expect(see('pay')).toBe(false);
      await runtime.advance(15_000);
    }
  });
});
