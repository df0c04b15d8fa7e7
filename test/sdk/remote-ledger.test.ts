// What is said of a ledger in another process on this side of the line: its options, what it is not asked, and
// that it is closed.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLedger, LedgerError, type RemoteLedger } from '@action-ledger/client';
import { createLedger as createLight } from '@action-ledger/client/remote';
import { createToolSet } from '@action-ledger/tools';
import { openProxy } from './proxy.ts';
import { createTools } from './tools.ts';
import { openWorld, type World } from './world.ts';

let world: World;
let ledger: RemoteLedger;

beforeEach(async () => {
  world = await openWorld('remote', 'memory');
  ledger = await world.remote();
});
afterEach(() => world.close());

const refused = (code: string, says: string): unknown =>
  expect.objectContaining({ name: 'LedgerError', code, message: expect.stringContaining(says) });

describe('options that are wrong', () => {
  it.each<[object, string]>([
    [{ url: 'ledger.example' }, '`url` must be an address'],
    [{ url: 'ftp://ledger.example' }, '`url` must be an address'],
    [{ url: 'http://ann:secret@ledger.example' }, '`url` must be an address'],
    [{ url: 'http://ledger.example/?key=1' }, '`url` must be an address'],
    [{ url: undefined }, '`url` must be an address'],
    [{ url: 'http://x', apiKey: '' }, '`apiKey` must be the text'],
    [{ url: 'http://x', apiKey: 'a\nb' }, '`apiKey` must be the text'],
    [{ url: 'http://x', apiKey: 'a', token: 'b' }, 'not both'],
    [{ url: 'http://x', retryForMs: -1 }, '`retryForMs` must be a whole number'],
    [{ url: 'http://x', answerWithinMs: 0 }, '`answerWithinMs` must be a whole number'],
    [{ url: 'http://x', path: 'x.db' }, '"path" is no option of a ledger at a `url`'],
    [{ url: 'http://x', tools: 5 }, '`tools` must be a list of tools'],
    [{ url: 'http://x', tools: { pay: {} } }, '`tools.pay` is no tool'],
    [{ url: 'http://x', digestKey: 'short' }, '`digestKey` must be a text of at least 16'],
    [{ url: 'http://x', onFault: 5 }, '`onFault` must be a function'],
    [{ url: 'http://x', fetch: 5 }, '`fetch` must be a function'],
  ])('%j', async (options, says) => {
    const wrong = refused('ledger.options', says);
    await expect(createLedger(options as never)).rejects.toEqual(wrong);
    await expect(createLight(options as never)).rejects.toEqual(wrong);
  });

  it('are none for the light entry without a url', async () => {
    for (const none of [undefined, null, {}])
      await expect(createLight(none as never)).rejects.toBeInstanceOf(LedgerError);
  });
});

describe('a url with a path', () => {
  it('is kept before that of the API', async () => {
    const proxy = await openProxy(world.url);
    const there = await world.remote({ url: `${proxy.url}/ledgers/one` });
    await expect(there.pauses()).rejects.toMatchObject({ code: 'route.unknown', status: 404 });
    expect(proxy.seen.map(({ path }) => path)).toEqual(['/ledgers/one/v1/pauses']);
    await proxy.close();
  });
});

describe('what a ledger is not asked over HTTP', () => {
  it('are members of its own process: each says why', () => {
    const says = (name: string): unknown => refused('ledger.not-remote', `\`${name}\``);
    expect(() => ledger.store).toThrow(says('store'));
    for (const name of ['openActions', 'ownerOfExternalId', 'gauges', 'sweep'] as const)
      expect(() => ledger[name]()).toThrow(says(name));
    expect(Object.keys(ledger)).not.toContain('store');
  });

  it('are names and tenants, wherever they are said', async () => {
    const by = { by: 'bob', reason: 'r', revisionSeen: 1 };
    const call = { tool: 'pay', arguments: {}, origin: {} };
    const none = ((): unknown => undefined) as never;
    const named: readonly (() => Promise<unknown>)[] = [
      () => ledger.propose({ ...call, tenant: 'umbrella' } as never),
      () => ledger.propose({ ...call, by: 'bob' } as never),
      () => ledger.tool('pay').call({}, { by: 'bob' } as never),
      () => ledger.tool('pay').call({}, { tenant: 'umbrella' } as never),
      () => ledger.explain({ ...call, tenant: 'umbrella' } as never),
      () => ledger.vote({ actionId: 'x', voter: 'bob' } as never),
      () => ledger.cancel({ actionId: 'x', ...by }),
      () => ledger.settle({ actionId: 'x', ...by } as never),
      () => ledger.checkNow({ actionId: 'x', ...by }),
      () => ledger.closeIncident({ actionId: 'x', incident: 'y', ...by }),
      () => ledger.repeat({ of: 'x', ...by }),
      () => ledger.edit({ actionId: 'x', arguments: {}, ...by }),
      () => ledger.pause(by),
      () => ledger.resume({ tenant: 'umbrella', reason: 'r', revisionSeen: 1 } as never),
      () => ledger.list({ limit: 1, tenant: 'umbrella' } as never),
      () => ledger.list({ limit: 1, plannedUntil: 1 } as never),
      () => ledger.unknowns({ limit: 1, tenant: 'umbrella' } as never),
      () => ledger.workflow({ id: 'w', by: 'bob' } as never, none),
      () => ledger.workflows.start({ id: 'w', tenant: 'umbrella' } as never),
      () => ledger.workflows.step('w', { step: 's', ...call, by: 'bob' } as never),
      () => ledger.workflows.list({ tenant: 'umbrella' } as never),
      () => ledger.workflows.compensate('w', by),
    ];
    for (const ask of named)
      await expect(ask()).rejects.toEqual(refused('ledger.not-remote', 'over HTTP'));
    expect(await ledger.list({ limit: 5 })).toEqual([]);
  });

  it('is a tool that is none', () => {
    for (const none of [undefined, null, '', 5, {}])
      expect(() => ledger.tool(none as never)).toThrow(refused('ledger.options', 'tool()'));
  });
});

describe('reads', () => {
  it('go through as many pages as they need', async () => {
    const calls = Array.from({ length: 230 }, (_, n) =>
      ledger.tool<object>('pay').call({ invoice: `${n}`, cents: 1 }, { run: 'r' }),
    );
    await Promise.all(calls);
    const all = await ledger.list({ limit: 500 });
    expect(new Set(all.map(({ action }) => action)).size).toBe(230);
    expect(await ledger.list({ limit: 210 })).toEqual(all.slice(0, 210));
    expect(await ledger.list({ limit: 3, tool: 'book' })).toEqual([]);
  });

  it('give the record of an action, with the state after each event', async () => {
    const { actionId = '' } = await ledger
      .tool<object>('pay')
      .call({ invoice: 'A', cents: 1 }, { run: 'r' });
    const events = await ledger.events(actionId, { state: true });
    expect(events.map(({ type }) => type)).toEqual([
      'ActionPlanned',
      'ActionClaimed',
      'ActionDispatched',
      'ActionSucceeded',
    ]);
    const loaded = await ledger.load(actionId);
    expect(events.at(-1)?.state).toEqual('action' in loaded ? loaded.action : undefined);
    expect(await ledger.events(actionId, { from: 3 })).toHaveLength(1);
    expect(await ledger.events(actionId.replace(/^..../, 'none'))).toEqual([]);
  });

  it('say what was held back', async () => {
    for (const call of ['1', '2', '3'])
      await ledger.tool<object>('pay').call({ invoice: 'A', cents: 1 }, { run: 'r', call });
    expect((await ledger.sideEntries(1)).map(({ kind }) => kind)).toEqual(['duplicate']);
    expect(await ledger.sideEntries(50)).toHaveLength(2);
  });

  it('take a tool by its declaration', async () => {
    const [pay] = createToolSet(createTools().tools).all;
    const answer = await ledger.tool(pay as never).call({ invoice: 'A', cents: 1 }, { run: 'r' });
    expect(answer.word).toBe('done');
  });
});

describe('a closed ledger', () => {
  it('waits for what is asked, and says that it is closed', async () => {
    world.provider.next('hang');
    const asked = ledger.tool<object>('pay').call({ invoice: 'A', cents: 1 }, { run: 'r' });
    while (world.provider.effects().length === 0) await new Promise(setImmediate);
    const closing = ledger.close();
    const closed = refused('ledger.closed', 'closed');
    await expect(ledger.pauses()).rejects.toEqual(closed);
    await expect(ledger.tool('pay').call({})).rejects.toEqual(closed);
    await expect(ledger.workflow({ id: 'w' }, () => 1)).rejects.toEqual(closed);
    world.provider.release();
    expect((await asked).word).toBe('done');
    await closing;
    await ledger.close();
  });

  it('leaves what takes longer than it may, which is checking', async () => {
    world.provider.next('hang');
    const asked = ledger.tool<object>('pay').call({ invoice: 'A', cents: 1 }, { run: 'r' });
    while (world.provider.effects().length === 0) await new Promise(setImmediate);
    await ledger.close({ drainMs: 0 });
    expect(await asked).toMatchObject({ word: 'checking', code: 'remote.no-answer' });
    world.provider.release();
  });
});
