// What lies between a program and its ledger breaks: replies are lost, lines are cut, proxies answer. Whatever
// happens, an action has one effect, and what may have been carried out is never told as failed.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createLedger,
  type RemoteAction,
  RemoteFault,
  type RemoteLedger,
  type RemoteLedgerOptions,
} from '@action-ledger/client';
import { createHastyRuntime, type HastyRuntime, tryMsMin } from './hasty-runtime.ts';
import { openProxy, type Proxy } from './proxy.ts';
import { openWorld, type World } from './world.ts';

let world: World;
let proxy: Proxy;
let runtime: HastyRuntime;

beforeEach(async () => {
  world = await openWorld('remote', 'memory');
  proxy = await openProxy(world.url);
  runtime = createHastyRuntime();
});
afterEach(async () => {
  await proxy.close();
  await world.close();
});

const open = (options: Partial<RemoteLedgerOptions> = {}): Promise<RemoteLedger> => {
  const usual = { url: proxy.url, apiKey: 'ann', runtime, answerWithinMs: tryMsMin };
  return createLedger({ ...usual, ...options });
};
const call = {
  tool: 'pay',
  arguments: { invoice: 'A', cents: 500 },
  origin: { run: 'r', call: 'c' },
};
const busy = {
  status: 503,
  headers: { 'content-type': 'application/problem+json', 'retry-after': '7' },
  body: JSON.stringify({
    type: 'urn:action-ledger:problem:gateway.busy',
    title: 'Too many requests are under way',
    status: 503,
    code: 'gateway.busy',
    detail: 'Too many requests are under way.',
    word: 'checking',
    messageForModel: 'Outcome still being checked, do not retry.',
  }),
};
const page = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: '<h1>Bad gateway</h1>',
};

async function thrown(asked: Promise<unknown>): Promise<unknown> {
  return asked.then(
    (answer) => {
      throw new Error(`it was answered: ${JSON.stringify(answer)}`);
    },
    (fault: unknown) => fault,
  );
}

async function actionOf(ledger: RemoteLedger, id = ''): Promise<RemoteAction> {
  const loaded = await ledger.load(id);
  if (loaded.kind === 'broken') throw new Error(loaded.reason);
  return loaded.action;
}

describe('a call whose try is lost', () => {
  it.each(['lose reply', 'cut reply', 'lose request'] as const)(
    'at "%s" is said again as it was, and has one effect',
    async (fate) => {
      proxy.next(fate);
      const answer = await (await open()).propose(call);
      expect(answer.word).toBe(fate === 'lose request' ? 'done' : 'already-done');
      expect(answer).toMatchObject({ state: 'succeeded', result: { paid: true } });
      expect(world.provider.effects()).toHaveLength(1);
      const [first, second, ...more] = proxy.seen;
      expect(second?.body).toBe(first?.body);
      expect(second?.path).toBe(first?.path);
      expect(more).toEqual([]);
    },
  );

  it('and never answered is still being checked, and never failed', async () => {
    proxy.always('lose reply');
    const ledger = await open();
    const answer = await ledger.propose({ ...call, waitMs: 1_000 });
    expect(answer).toMatchObject({
      word: 'checking',
      state: 'refused',
      code: 'remote.no-answer',
      messageForModel: expect.stringMatching(/^Outcome still being checked, do not retry/),
    });
    expect(proxy.seen.length).toBeGreaterThan(5);
    expect(world.provider.effects()).toHaveLength(1);
    proxy.always('pass');
    expect(await ledger.propose(call)).toMatchObject({ word: 'already-done', state: 'succeeded' });
  });

  it('and kept without a word is said again when its time is over', async () => {
    proxy.next('keep reply');
    const ledger = await open({ runtime: createHastyRuntime(0), answerWithinMs: tryMsMin });
    const asked = ledger.propose({ ...call, waitMs: 0 });
    await proxy.done(1);
    const left = await createLedger({ url: proxy.url, apiKey: 'ann', answerWithinMs: 300 });
    proxy.next('keep reply');
    const answer = await left.propose({ ...call, waitMs: 0 });
    expect(answer.word).toBe('already-done');
    await ledger.close({ drainMs: 0 });
    expect(await asked).toMatchObject({ word: 'checking', code: 'remote.no-answer' });
  });

  it('grows its pauses, each of them drawn, up to 5 s', async () => {
    proxy.always('lose request');
    const { code } = await (await open({ retryForMs: 40_000 })).propose({ ...call, waitMs: 0 });
    expect(code).toBe('remote.no-answer');
    expect(runtime.pauses.slice(0, 8)).toEqual([200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000]);
    const half = createHastyRuntime(0.5);
    await (await open({ runtime: half })).propose({ ...call, waitMs: 0 });
    expect(half.pauses.slice(0, 3)).toEqual([100, 200, 400]);
  });

  it('that is refused the second time says no more than is known', async () => {
    proxy.next('lose reply', { ...busy, headers: { ...busy.headers, 'retry-after': '900' } });
    const answer = await (await open()).propose(call);
    expect(answer).toMatchObject({ word: 'checking', code: 'remote.no-answer' });
    expect(world.provider.effects()).toHaveLength(1);
  });
});

describe('a ledger that cannot be reached', () => {
  it('leaves a call checking, and says that nothing of it arrived', async () => {
    await proxy.close();
    const ledger = await open();
    expect(await ledger.propose(call)).toMatchObject({
      word: 'checking',
      code: 'remote.unreachable',
      reason: expect.stringContaining('Nothing was recorded by this call'),
      messageForModel: expect.stringMatching(
        /could not be reached.*very same call may be said again/,
      ),
    });
    expect(runtime.pauses.length).toBeGreaterThan(5);
    const asked = { actionId: 'x', reason: 'asked', revisionSeen: 1 };
    for (const fault of [
      await thrown(ledger.cancel(asked)),
      await thrown(ledger.list({ limit: 5 })),
      await thrown(ledger.report('x', { source: 'x', claims: 'note', proven: false })),
    ]) {
      expect(fault).toBeInstanceOf(RemoteFault);
      expect(fault).toMatchObject({ code: 'remote.unreachable', retry: 'safe' });
    }
    expect(await ledger.workflow({ id: 'w' }, () => 1)).toMatchObject({
      word: 'checking',
      status: 'refused',
      code: 'remote.unreachable',
    });
    proxy = await openProxy(world.url);
  });
});

describe('a ledger that is busy', () => {
  it('is asked again, not before it has said', async () => {
    proxy.next(busy, busy);
    const answer = await (await open()).propose(call);
    expect(answer.word).toBe('done');
    expect(runtime.pauses).toEqual([7_200, 7_400]);
  });

  it('for longer than there is time is told as it said', async () => {
    proxy.always(busy);
    const ledger = await open();
    expect(await ledger.propose({ ...call, waitMs: 0 })).toMatchObject({
      word: 'checking',
      code: 'gateway.busy',
    });
    const fault = await thrown(ledger.pauses());
    expect(fault).toMatchObject({ name: 'RemoteFault', code: 'gateway.busy', retry: 'safe' });
    expect(world.provider.effects()).toEqual([]);
  });

  it('and a fault of its store is one of a store', async () => {
    const problem = JSON.parse(busy.body) as object;
    const code = { code: 'store.disk-full', type: 'urn:action-ledger:problem:store.disk-full' };
    proxy.always({ ...busy, body: JSON.stringify({ ...problem, ...code }) });
    const fault = await thrown(
      (await open()).cancel({ actionId: 'x', reason: 'r', revisionSeen: 1 }),
    );
    expect(fault).toMatchObject({ name: 'StoreFault', code: 'store.disk-full', retry: 'safe' });
    expect(proxy.seen).toHaveLength(1);
  });

  it('paused, says so at once', async () => {
    const ledger = await open();
    await ledger.pause({ reason: 'stop' });
    expect(await ledger.propose(call)).toMatchObject({ word: 'refused', code: 'ledger.paused' });
    expect(proxy.seen).toHaveLength(2);
  });
});

describe('what is no answer of a ledger', () => {
  it('from a proxy that fails is asked again', async () => {
    proxy.next(page, { ...page, status: 503 }, { ...page, status: 504 });
    expect((await (await open()).propose(call)).word).toBe('done');
    proxy.always(page);
    const fault = await thrown((await open()).propose(call));
    expect(fault).toMatchObject({ code: 'remote.not-a-ledger', retry: 'unsafe', status: 502 });
  });

  it.each([
    ['a page', { ...page, status: 200 }],
    ['a page that says no', { ...page, status: 404 }],
    ['nothing', { status: 204 }],
    [
      'JSON of another service',
      { status: 200, headers: { 'content-type': 'application/json' }, body: '{"ok":1}' },
    ],
    ['a list', { status: 200, headers: { 'content-type': 'application/json' }, body: '[]' }],
    [
      'JSON that ends early',
      { status: 200, headers: { 'content-type': 'application/json' }, body: '{"word":' },
    ],
  ])('(%s) is told as such', async (_what, fate) => {
    const ledger = await open();
    for (const ask of [
      () => ledger.propose(call),
      () => ledger.load('x'),
      () => ledger.list({ limit: 1 }),
      () => ledger.cancel({ actionId: 'x', reason: 'r', revisionSeen: 1 }),
      () => ledger.workflows.show('x'),
    ]) {
      proxy.next(fate);
      const asked = proxy.seen.length;
      expect(await thrown(ask())).toMatchObject({ code: 'remote.not-a-ledger', retry: 'unsafe' });
      expect(proxy.seen).toHaveLength(asked + 1);
    }
  });

  it('leads elsewhere: the key does not go there', async () => {
    const elsewhere = await openProxy(world.url);
    proxy.always({ status: 307, headers: { location: `${elsewhere.url}/v1/actions` } });
    const ledger = await open();
    const redirected = { code: 'remote.redirected', retry: 'never', status: 307 };
    expect(await thrown(ledger.propose(call))).toMatchObject(redirected);
    expect(await thrown(ledger.pauses())).toMatchObject(redirected);
    expect(elsewhere.seen).toEqual([]);
    await elsewhere.close();
  });
});

describe('who is not let in', () => {
  it('hears of it once, and nothing is recorded', async () => {
    const nobody = await open({ apiKey: 'nobody' });
    const unknown = {
      name: 'RemoteFault',
      code: 'access.unauthenticated',
      status: 401,
      retry: 'never',
    };
    expect(await thrown(nobody.propose(call))).toMatchObject(unknown);
    expect(await thrown(nobody.list({ limit: 1 }))).toMatchObject(unknown);
    expect(await thrown(nobody.workflow({ id: 'w' }, () => 1))).toMatchObject(unknown);
    const auditor = await open({ apiKey: 'ann:auditor' });
    const forbidden = { code: 'access.forbidden', status: 403, retry: 'never' };
    expect(await thrown(auditor.propose(call))).toMatchObject(forbidden);
    expect(await thrown(auditor.pause({ reason: 'r' }))).toMatchObject(forbidden);
    expect(proxy.seen).toHaveLength(5);
    expect(world.provider.effects()).toEqual([]);
  });

  it('renews the key with each try', async () => {
    const keys = ['ann', 'bob'];
    proxy.next('lose request');
    const ledger = await open({ apiKey: () => Promise.resolve(keys.shift() ?? '') });
    await ledger.propose(call);
    expect(proxy.seen.map(({ headers }) => headers['x-api-key'])).toEqual(['ann', 'bob']);
    const none = await open({ apiKey: () => 'a key\nof two lines' });
    expect(await thrown(none.propose(call))).toMatchObject({ code: 'ledger.options' });
    const token = await open({ apiKey: undefined, token: () => 'abc' } as never);
    await thrown(token.propose(call));
    expect(proxy.seen.at(-1)?.headers.authorization).toBe('Bearer abc');
  });
});

describe('a command whose reply is lost', () => {
  it('is carried out once, and what is refused after it is told with the doubt', async () => {
    const ledger = await open();
    const { actionId = '', revision = 0 } = await ledger.propose({ ...call, tool: 'approved' });
    proxy.next('lose reply');
    const cancel = { actionId, reason: 'ordered twice', revisionSeen: revision };
    const fault = await thrown(ledger.cancel(cancel));
    expect(fault).toMatchObject({
      name: 'RemoteFault',
      code: 'remote.no-answer',
      retry: 'unsafe',
      detail: { code: 'action.stale-revision' },
    });
    expect((await actionOf(ledger, actionId)).status).toBe('cancelled');
  });

  it('is said again where that is the same: a vote, a pause', async () => {
    const ledger = await open();
    const { actionId = '' } = await ledger.propose({ ...call, tool: 'approved' });
    const { argumentsHash } = await actionOf(ledger, actionId);
    const bob = await open({ apiKey: 'bob' });
    proxy.next('lose request');
    const voted = await bob.vote({ actionId, vote: 'approve', argumentsHash });
    expect(voted.kind).toBe('done');
    proxy.next('lose reply');
    expect(await ledger.pause({ tool: 'pay', reason: 'r' })).toMatchObject({
      tool: 'pay',
      by: 'ann',
    });
  });

  it('counts once where it says the same: a report', async () => {
    const ledger = await open();
    const { actionId = '' } = await ledger.propose(call);
    const note = { source: 'export', claims: 'note', proven: false } as const;
    proxy.next('lose reply', busy);
    expect((await ledger.report(actionId, note)).kind).toBe('done');
    expect((await actionOf(ledger, actionId)).evidence).toHaveLength(1);
  });
});

describe('a workflow', () => {
  const program = (ledger: RemoteLedger) =>
    ledger.workflow({ id: 'trip' }, async (step) => {
      const unbook = { tool: 'unbook', arguments: { order: { $from: 'outcome.order' } } };
      const compensate = { ...unbook, tool: ledger.tool('unbook') };
      await step('hotel', ledger.tool('book'), { invoice: 'H' }, { compensate } as never);
      await step('car', ledger.tool('book'), { invoice: 'C' }, { compensate } as never);
      return 'booked';
    });

  it('whose replies are lost goes on with what is on record', async () => {
    const ledger = await open();
    proxy.next('lose reply', 'lose reply', 'cut reply', 'pass', 'lose reply', 'pass', 'lose reply');
    const outcome = await program(ledger);
    expect(outcome).toMatchObject({ status: 'completed', result: 'booked' });
    expect(world.provider.effects()).toHaveLength(2);
  });

  it('of whose step nothing is heard waits, and is not undone', async () => {
    const ledger = await open();
    proxy.next('pass', 'pass');
    proxy.always('lose reply');
    expect(await program(ledger)).toMatchObject({
      word: 'checking',
      status: 'running',
      waitingFor: { step: 'car', answer: { code: 'remote.no-answer' } },
    });
    proxy.always('pass');
    expect(await ledger.workflows.show('trip')).toMatchObject({ status: 'running' });
    expect(await program(ledger)).toMatchObject({ status: 'completed', result: 'booked' });
    expect(world.provider.effects()).toHaveLength(2);
  });

  it('of whose step alone nothing is heard says that it waits for it', async () => {
    const ledger = await open({ retryForMs: 0 });
    proxy.next('pass', 'lose reply');
    const waiting = await ledger.workflow({ id: 'trip' }, async (step) => {
      const options = { compensate: 'impossible', waitMs: 0 } as const;
      await step('hotel', ledger.tool('book'), { invoice: 'H' }, options);
    });
    expect(waiting).toMatchObject({
      word: 'checking',
      status: 'running',
      waitingFor: { step: 'hotel' },
    });
  });
});

describe('a caller that waits no longer', () => {
  it('hears within seconds that nothing is known, where nothing is', async () => {
    proxy.always('lose reply');
    const left = new AbortController();
    const ledger = await open({ retryForMs: 3_600_000 });
    const asked = ledger.propose({ ...call, waitMs: 60_000, signal: left.signal });
    await proxy.done(2);
    left.abort();
    expect(await asked).toMatchObject({ word: 'checking', code: 'remote.no-answer' });
  });

  it('for longer than one request is held gets the outcome all the same', async () => {
    await world.close();
    world = await openWorld('remote', 'memory', { waitMsMax: 1_000 });
    const through = await openProxy(world.url);
    const ledger = await world.remote({ url: through.url });
    world.provider.next('hang');
    const asked = ledger.propose({ ...call, waitMs: 60_000 });
    // Held twice, as long as it holds an answer.
    await through.done(2);
    world.provider.release();
    expect(await asked).toMatchObject({
      word: 'done',
      repeat: false,
      messageForModel: expect.stringMatching(/^Done now \(result: /),
    });
    await through.close();
  });
});
