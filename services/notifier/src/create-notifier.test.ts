// A ledger in memory, its log, and a notifier that tells a function: what is told, to whom, how often.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { hash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sealEvents } from '@action-ledger/codec';
import { chainStart } from '@action-ledger/domain';
import { createLedger, defineTool, inDoubt, type Ledger, refused } from '@action-ledger/client';
import { actionTopics, type EventLog } from '@action-ledger/event-log';
import { openEmbeddedEventLog } from '@action-ledger/event-log-embedded';
import { createMemoryEventStore, type EventStore, StoreFault } from '@action-ledger/event-store';
import {
  type CourierRules,
  createHook,
  type Endpoint,
  type HookOptions,
  type Notification,
} from '@action-ledger/notifications';
import { createVirtualRuntime, type VirtualRuntime } from '@action-ledger/testkit';
import { z } from 'zod';
import { createNotifier, type Notifier, type NotifierDeps } from './index.ts';

const minute = 60_000;
const hour = 60 * minute;

const pay = defineTool({
  name: 'pay',
  input: z.object({ invoice: z.string() }),
  guarantee: 'manual',
  approval: { when: ({ invoice }) => invoice.startsWith('big') },
  execute: ({ arguments: { invoice }, beforeSend }) => {
    beforeSend();
    return invoice.startsWith('lost') ? inDoubt('no answer') : { paid: invoice };
  },
});
const keep = defineTool({
  name: 'keep',
  input: z.object({ what: z.string() }),
  guarantee: 'manual',
  execute: ({ beforeSend }) => {
    beforeSend();
    return 'kept';
  },
});
const stuck = defineTool({
  name: 'stuck',
  input: z.object({ what: z.string() }),
  guarantee: 'manual',
  execute: ({ arguments: { what }, beforeSend }) => {
    beforeSend();
    return what === '' ? 'undone' : refused('never');
  },
});

const tools = [pay, keep, stuck];

let runtime: VirtualRuntime;
let store: EventStore;
let ledger: Ledger;
/** Days pass in some tests: sweeps of seconds would only cost time. */
const sweepMs = hour;
let folder = '';
let running: { readonly notifier: Notifier; readonly log: EventLog }[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'notifier-'));
  runtime = createVirtualRuntime();
  store = createMemoryEventStore();
  ledger = await createLedger({ store, runtime, tools, pauseOnBurst: burst, sweepMs });
});
afterEach(async () => {
  await stop();
  await ledger.close();
  rmSync(folder, { recursive: true });
});

const burst = { unknowns: 3, withinMs: minute };
const logPath = (): string => join(folder, 'ledger.log');

interface Told {
  readonly all: Notification[];
  readonly kinds: () => readonly string[];
}

interface Started extends Told {
  readonly notifier: Notifier;
  readonly log: EventLog;
}

interface StartOptions extends Partial<Pick<NotifierDeps, 'store' | 'onGivenUp'>> {
  readonly endpoints?: readonly Endpoint[];
  readonly hook?: Partial<HookOptions>;
  readonly rules?: CourierRules;
  readonly path?: string;
}

/** In the beginning, and after `stop` as another process would. */
async function start(options: StartOptions = {}): Promise<Started> {
  const all: Notification[] = [];
  const log = await openEmbeddedEventLog({ store, path: options.path ?? logPath(), runtime });
  const notifier = createNotifier({
    log,
    store,
    runtime,
    sha256: (text) => hash('sha256', text, 'base64url'),
    clock: { nowMs: () => runtime.clock.wallMs() },
    endpoints: [createHook({ tell: (notification) => all.push(notification), ...options.hook })],
    ...options,
  });
  await notifier.start();
  running.push({ notifier, log });
  await runtime.settle();
  return { notifier, log, all, kinds: () => all.map(({ kind }) => kind) };
}

async function stop(): Promise<void> {
  for (const { notifier, log } of running) {
    await notifier.stop();
    await log.close();
  }
  running = [];
}

async function call(invoice: string, tenant = 'default'): Promise<string> {
  const calling = ledger.tool(pay).call({ invoice }, { run: 'r', tenant, waitMs: 0 });
  await runtime.settle();
  await runtime.advance(1_000);
  return (await calling).actionId ?? '';
}

async function approve(actionId: string): Promise<void> {
  const loaded = await ledger.load(actionId);
  if (loaded.kind !== 'action') throw new Error(loaded.reason);
  const { argumentsHash } = loaded.action;
  await ledger.vote({ actionId, voter: 'ann', vote: 'approve', argumentsHash });
  await runtime.settle();
}

describe('what people are told', () => {
  it('an approval that waits: what it is of, and none of its arguments', async () => {
    const { all } = await start();
    const action = await call('big-secret-1');
    expect(all).toMatchObject([
      {
        kind: 'approval waiting',
        tenant: 'default',
        tool: 'pay',
        action,
        text: expect.stringMatching(/^pay waits for a vote, until 20/) as unknown,
        detail: { votes: 1 },
        cause: { stream: `action-${action}`, revision: 1 },
      },
    ]);
    expect(JSON.stringify(all)).not.toContain('big-secret-1');
  });

  it('an unknown that is theirs, once, however often it is checked', async () => {
    const { all } = await start();
    const action = await call('lost-1');
    await stop();
    const before = await ledger.store.head();
    await runtime.advance(72 * hour);
    expect(await ledger.store.head()).toBeGreaterThan(before);
    const later = await start();
    expect([...all, ...later.all]).toMatchObject([
      { kind: 'unknown escalated', action, detail: { status: 'unknown', guarantee: 'manual' } },
    ]);
  });

  it('an incident: a success that came to light after it had been told as failed', async () => {
    const { all } = await start();
    const action = await call('lost-1');
    const loaded = await ledger.load(action);
    const revisionSeen = loaded.kind === 'action' ? loaded.action.revision : -1;
    const why = { by: 'ann', reason: 'not at the bank' };
    await ledger.settle({
      actionId: action,
      verdict: 'absent',
      forced: true,
      revisionSeen,
      ...why,
    });
    const report = { source: 'bank', claims: 'success', proven: true } as const;
    await ledger.report(action, { ...report, externalId: 'bank-1' });
    await ledger.report(action, { ...report, externalId: 'bank-2' });
    await runtime.advance(1_000);
    expect(all.filter(({ kind }) => kind === 'incident')).toMatchObject([
      { action, detail: { duplicate: false } },
      { action, detail: { duplicate: true }, text: expect.stringMatching(/more than one effect/) },
    ]);
  });

  it('a pause, by a person or by a burst of unknowns', async () => {
    const { all } = await start();
    await ledger.pause({ tenant: 'acme', by: 'ann', reason: 'month end' });
    await runtime.settle();
    for (const each of ['lost-1', 'lost-2', 'lost-3']) await call(each);
    expect(all.filter(({ kind }) => kind === 'paused')).toMatchObject([
      { tenant: 'acme', text: 'The tenant acme is paused by ann: month end' },
      { tool: 'pay', detail: { by: 'ledger' } },
    ]);
  });

  it('a workflow that could not be undone, again with each day', async () => {
    const { all } = await start();
    const trip = ledger.workflow({ id: 'trip' }, async (step) => {
      const undo = { tool: ledger.tool(stuck), arguments: { what: 'a' } };
      await step('one', ledger.tool(keep), { what: 'a' }, { compensate: undo });
      throw new Error('never mind');
    });
    await runtime.advance(minute);
    expect(await trip).toMatchObject({ status: 'compensation_failed' });
    const workflow = { kind: 'workflow needs a person', detail: { name: 'trip' } };
    expect(all.filter(({ kind }) => kind === workflow.kind)).toMatchObject([workflow]);
    await stop();
    await runtime.advance(25 * hour);
    expect((await start()).all).toMatchObject([workflow]);
  });

  it('a tool of callers that an operator has declared with weaker rules', async () => {
    const { all } = await start();
    const form = { name: 'fax', input: { type: 'object' }, guarantee: 'manual', scope: 'call' };
    const declared = (rules: object): Promise<unknown> =>
      ledger.callers.register({
        tenant: 'acme',
        by: 'ann',
        declarations: [{ ...form, ...rules }],
        mayLoosen: true,
      });
    await declared({ approval: true });
    await declared({});
    await runtime.settle();
    expect(all).toMatchObject([
      { kind: 'rules loosened', tenant: 'acme', tool: 'fax', detail: { rules: ['approval'] } },
    ]);
  });

  it('a stream whose record is damaged', async () => {
    const damaged = damagedStore();
    await ledger.close();
    store = damaged.store;
    ledger = await createLedger({ store, runtime, tools, sweepMs });
    const { all } = await start();
    const action = await call('1');
    damaged.damage(`action-${action}`);
    await ledger.load(action);
    await runtime.settle();
    expect(all).toMatchObject([
      { kind: 'stream broken', action, detail: { reason: expect.any(String) } },
    ]);
  });
});

describe('what the auditor has put on record', () => {
  it('is told once, to those who hear of all tenants', async () => {
    const { all } = await start();
    const stream = 'action-' + (await call('1'));
    const context = {
      sha256: (text: string) => hash('sha256', text, 'base64url'),
      nextId: runtime.ids.next,
      at: runtime.clock.wallMs(),
    };
    const data = { stream, invariant: 'links-complete', detail: 'half of it is missing' };
    const { events } = sealEvents(context, chainStart('audit'), [
      { type: 'InvariantBroken', data },
      { type: 'Another', data: {} },
    ]);
    await store.append('audit', 'no stream', events);
    await runtime.settle();
    expect(all).toMatchObject([
      {
        kind: 'invariant broken',
        action: stream.slice('action-'.length),
        text: expect.stringMatching(/links-complete.*half of it is missing/) as unknown,
        detail: { stream, invariant: 'links-complete' },
        cause: { stream: 'audit', revision: 0 },
      },
    ]);
  });
});

describe('who is told', () => {
  it('an endpoint of some tenants hears of them alone', async () => {
    const { all } = await start({ hook: { tenants: ['acme'] } });
    await call('big-1', 'acme');
    await call('big-2', 'globex');
    await ledger.pause({ by: 'ann', reason: 'all of it' });
    await runtime.settle();
    expect(all.map(({ tenant }) => tenant)).toEqual(['acme']);
  });

  it('each of several, and one that fails holds no other back', async () => {
    const [a, b]: Notification[][] = [[], []];
    const { notifier } = await start({
      endpoints: [
        createHook({ name: 'a', tell: () => Promise.reject(new Error('down')) }),
        createHook({ name: 'b', tell: (notification) => b?.push(notification) }),
      ],
    });
    await call('big-1');
    expect([a?.length, b?.length]).toEqual([0, 1]);
    expect(notifier.counts()).toMatchObject({ pending: 1, ended: { delivered: 1 } });
  });

  it('two endpoints of one name are refused', async () => {
    const twice = [createHook({ tell: () => 1 }), createHook({ tell: () => 2 })];
    await expect(start({ endpoints: twice })).rejects.toThrow('named hook');
  });
});

describe('FW16 nobody is told again', () => {
  it('by a topic that is replayed from zero', async () => {
    const first = await start();
    await call('big-1');
    await call('lost-1');
    await ledger.pause({ tool: 'pay', by: 'ann', reason: 'enough' });
    await runtime.settle();
    expect(first.kinds()).toEqual(['approval waiting', 'unknown escalated', 'paused']);
    await first.notifier.stop();
    await first.log.reset({ group: 'notifier', topics: [actionTopics.events], to: 'start' });
    await first.notifier.start();
    await runtime.advance(hour);
    expect(first.all).toHaveLength(3);
    expect(first.notifier.health()).toMatchObject({ condition: 'live', lag: 0 });
  });

  it.each(['lost', 'of yesterday'] as const)('by a log whose file is %s', async (what) => {
    const yesterday = join(folder, 'yesterday.log');
    await start();
    await call('big-1');
    await stop();
    copyFileSync(logPath(), yesterday);
    const second = await start();
    await call('big-2');
    expect(second.all).toHaveLength(1);
    await stop();
    const third = await start({ path: what === 'lost' ? join(folder, 'new.log') : yesterday });
    await runtime.advance(hour);
    expect(third.all).toEqual([]);
    await call('big-3');
    expect(third.kinds()).toEqual(['approval waiting']);
  });

  it('by another group that reads all of it', async () => {
    const first = await start();
    await call('big-1');
    expect(first.all).toHaveLength(1);
    await first.notifier.stop();
    const all: Notification[] = [];
    const hook = createHook({ tell: (notification) => all.push(notification) });
    const sha256 = (text: string): string => hash('sha256', text, 'base64url');
    const clock = { nowMs: () => runtime.clock.wallMs() };
    const deps = { log: first.log, store, runtime, sha256, clock, endpoints: [hook] };
    const other = createNotifier({ ...deps, group: 'rebuilt' });
    await other.start();
    await runtime.advance(hour);
    expect([all, other.health().handled > 0]).toEqual([[], true]);
    await other.stop();
  });

  it('of what was settled before it was ever read', async () => {
    const [open, settled] = [await call('big-1'), await call('big-2')];
    await approve(settled);
    await ledger.pause({ by: 'ann', reason: 'x' });
    await ledger.resume({ by: 'ann', reason: 'y', revisionSeen: 0 });
    const { all } = await start();
    expect(all).toMatchObject([{ kind: 'approval waiting', action: open }]);
  });
});

describe('delivery', () => {
  const failing = (times: number, seen: string[]): Partial<HookOptions> => ({
    tell: ({ id }) => {
      seen.push(id);
      if (seen.length <= times) throw new Error(`down ${seen.length}`);
    },
  });

  it('is tried again after growing pauses, under the same id', async () => {
    const seen: string[] = [];
    const { notifier } = await start({ hook: failing(3, seen) });
    await call('big-1');
    expect(notifier.counts()).toMatchObject({ pending: 1, failures: 1 });
    await runtime.advance(5_000 + 10_000 + 20_000);
    expect([seen.length, new Set(seen).size]).toEqual([4, 1]);
    expect(notifier.counts()).toEqual({
      pending: 0,
      failures: 3,
      ended: { delivered: 1, dropped: 0, 'given up': 0 },
    });
  });

  it('waits as long as it is told to', async () => {
    const times: number[] = [];
    const endpoint: Endpoint = {
      name: 'busy',
      wants: () => true,
      send: async () => {
        times.push(runtime.clock.monoMs());
        return times.length === 1
          ? { kind: 'failed', reason: 'busy', afterMs: 10 * minute }
          : { kind: 'delivered' };
      },
    };
    await start({ endpoints: [endpoint] });
    await call('big-1');
    await runtime.advance(hour);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBe(10 * minute);
  });

  it('is given up after a bound, and that is seen', async () => {
    const seen: string[] = [];
    const given: string[] = [];
    const { notifier } = await start({
      hook: failing(Infinity, seen),
      rules: { triesMax: 3 },
      onGivenUp: ({ notification }) => given.push(notification.kind),
    });
    await call('big-1');
    await runtime.advance(hour);
    expect(seen).toHaveLength(3);
    expect(given).toEqual(['approval waiting']);
    expect(notifier.counts()).toMatchObject({ pending: 0, ended: { 'given up': 1 } });
    expect(notifier.givenUp()).toMatchObject([{ endpoint: 'hook', tries: 3, reason: 'down 3' }]);
    await stop();
    const later = await start();
    await runtime.advance(hour);
    expect([later.all, later.notifier.givenUp().length]).toEqual([[], 1]);
  });

  it('is dropped where its cause is dealt with meanwhile', async () => {
    const seen: string[] = [];
    const { notifier } = await start({ hook: failing(1, seen) });
    await approve(await call('big-1'));
    await runtime.advance(hour);
    expect(seen).toHaveLength(1);
    expect(notifier.counts().ended).toMatchObject({ delivered: 0, dropped: 1 });
  });

  it('goes on after a crash between the record and the send', async () => {
    await start({ hook: { tell: () => new Promise(() => undefined) } });
    const action = await call('big-1');
    running = [];
    const second = await start({ path: join(folder, 'other.log') });
    await runtime.settle();
    expect(second.all).toMatchObject([{ kind: 'approval waiting', action }]);
    await stop();
    expect((await start({ path: join(folder, 'other.log') })).all).toEqual([]);
  });

  it('is not sent again because its end could not be recorded', async () => {
    let isAway = false;
    const away: EventStore = {
      ...store,
      append: async (...asked) => {
        if (isAway && asked[0] === 'notices')
          throw new StoreFault('store.unavailable', 'safe', 'the disk is away');
        return store.append(...asked);
      },
    };
    const seen: string[] = [];
    const { notifier } = await start({
      store: away,
      hook: {
        tell: ({ id }) => {
          seen.push(id);
          isAway = true;
        },
      },
    });
    await call('big-1');
    await runtime.advance(minute);
    expect(notifier.counts()).toMatchObject({ pending: 1, ended: { delivered: 0 } });
    isAway = false;
    await runtime.advance(10 * minute);
    expect(seen).toHaveLength(1);
    expect(notifier.counts()).toMatchObject({ pending: 0, ended: { delivered: 1 } });
  });

  it('is told although nobody knew whether it was on record', async () => {
    let appends = 0;
    let failures = 0;
    const shaky: EventStore = {
      ...store,
      append: async (...asked) => {
        if (asked[0] === 'notices') appends += 1;
        return store.append(...asked);
      },
      readStream: async (...asked) => {
        if (asked[0] === 'notices' && appends === 1 && failures === 0) {
          failures += 1;
          throw new StoreFault('store.unavailable', 'safe', 'the disk is away');
        }
        return store.readStream(...asked);
      },
    };
    const { kinds, notifier } = await start({ store: shaky });
    await call('big-1');
    await runtime.advance(minute);
    expect([failures, kinds()]).toEqual([1, ['approval waiting']]);
    expect(notifier.counts()).toMatchObject({ pending: 0, ended: { delivered: 1 } });
  });

  it('is tried again where a function never returns, and that does not keep the notifier', async () => {
    let calls = 0;
    const hook = {
      tell: () => {
        calls += 1;
        return calls === 1 ? new Promise(() => undefined) : undefined;
      },
    };
    const { notifier } = await start({ hook });
    await call('big-1');
    await runtime.advance(10 * minute);
    expect(calls).toBe(2);
    expect(notifier.counts()).toMatchObject({ failures: 1, ended: { delivered: 1 } });
  });

  it('of two notifiers over one ledger only one puts it on record', async () => {
    const [first, second] = [await start(), await start({ path: join(folder, 'other.log') })];
    await call('big-1');
    await runtime.advance(hour);
    expect(first.all.length + second.all.length).toBe(1);
  });
});

/** Reads of one stream give its events edited, as a hand in the file would leave them. */
function damagedStore(): { readonly store: EventStore; readonly damage: (stream: string) => void } {
  const inner = createMemoryEventStore();
  let damaged = '';
  return {
    damage: (stream) => {
      damaged = stream;
    },
    store: {
      ...inner,
      readStream: async (stream, from) => {
        const events = await inner.readStream(stream, from);
        return stream === damaged
          ? events.map((event) => ({ ...event, data: event.data.replace('pay', 'pax') }))
          : events;
      },
    },
  };
}
