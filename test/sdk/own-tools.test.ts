// Tools that a program carries out itself, of a ledger behind HTTP: what goes wrong between the two, what others
// have left behind, and the end.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLedger, defineTool, type RemoteLedger, type Tool } from '@action-ledger/client';
import { callerDeclaration, type ExecuteContext, succeeded } from '@action-ledger/tools';
import { z } from 'zod';
import { openWorld, tenant, type World } from './world.ts';

let world: World;
let opened = 0;

beforeAll(async () => {
  world = await openWorld('remote', 'memory');
});
afterAll(() => world.close());

type Send = (context: ExecuteContext<{ invoice: string }>) => unknown;

/** Of another name each time, so that no test is offered what another has left. */
function payBy(execute: Send, more: object = {}): Tool {
  opened += 1;
  const input = z.object({ invoice: z.string().refine((text) => text !== 'none') });
  const pay = { name: `pay-${opened}`, input, guarantee: 'manual' as const };
  return defineTool({ ...pay, execute, ...more } as never);
}

const call = (invoice = 'A') => [{ invoice }, { run: 'run-1', turn: 't-1', call: 'c-1' }] as const;

/** Loses what it names once: the reply, as a line that breaks does. */
function losing(...paths: readonly RegExp[]): typeof fetch {
  const left = [...paths];
  return async (url, init) => {
    const reply = await fetch(url, init);
    const at = left.findIndex((path) => path.test((url as URL).pathname));
    if (at === -1) return reply;
    left.splice(at, 1);
    await reply.body?.cancel();
    throw new TypeError('fetch failed', { cause: new Error('read ECONNRESET') });
  };
}

function gate(): { readonly open: () => void; readonly passed: Promise<void> } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}

async function statusOf(ledger: RemoteLedger, id = ''): Promise<string> {
  const loaded = await ledger.load(id);
  return loaded.kind === 'broken' ? loaded.reason : loaded.action.status;
}

describe('a tool that the program carries out', () => {
  it('has one effect and its outcome, whichever replies are lost', async () => {
    const sent: ExecuteContext<{ invoice: string }>[] = [];
    const pay = payBy((context) => {
      context.beforeSend();
      sent.push(context);
      // Beyond what can be noted of one, and cut.
      const parts = new Array<bigint>(30).fill(1n);
      return succeeded({ paid: true, parts, log: 'x'.repeat(70_000) }, { externalId: 're-1' });
    });
    const ledger = await world.remote({
      tools: { pay },
      fetch: losing(/v1\/tools$/, /v1\/actions$/, /outcome$/, /outcome$/),
    });
    const answer = await ledger.tool(pay).call(...call());
    expect(answer).toMatchObject({ word: 'done', repeat: false, result: { paid: true } });
    expect([answer.externalId, answer.notes?.length]).toEqual(['re-1', 22]);
    expect(answer).not.toHaveProperty('dispatch');
    expect(sent).toMatchObject([
      { attempt: 1, tenant, actionId: answer.actionId, origin: { run: 'run-1', call: 'c-1' } },
    ]);
    expect(sent[0]?.attempts).toHaveLength(1);
    expect((await ledger.tools['pay']?.call(...call()))?.word).toBe('already-done');
  });

  it('holds its arguments against its own schema, also where they come from others', async () => {
    const pay = payBy(() => 'sent');
    const ledger = await world.remote({ tools: [pay] });
    const answer = await ledger.tool(pay).call(...call('none'));
    expect(answer).toMatchObject({ code: 'arguments.invalid', tenant });
    const of = { tool: pay.name, arguments: { invoice: 'none' }, origin: { run: 'r' }, tenant };
    expect(await world.ledger.propose(of)).toMatchObject({
      state: 'failed',
      code: 'arguments.invalid',
    });
  });

  it('is aborted when its claim is lost, and sends nothing after it', async () => {
    let late: unknown;
    const pay = payBy(
      async ({ signal, beforeSend }) => {
        await new Promise((resolve) => {
          signal.addEventListener('abort', resolve);
        });
        try {
          beforeSend();
        } catch (notSent) {
          late = notSent;
          throw notSent;
        }
      },
      { leaseMs: 300, retry: { attempts: 1 } },
    );
    const lost = { type: 'urn:action-ledger:problem:action.claim-lost', code: 'action.claim-lost' };
    const ledger = await world.remote({
      tools: { pay },
      fetch: async (url, init) =>
        (url as URL).pathname.endsWith('/claim/extend')
          ? Response.json({ ...lost, title: 'It is lost' }, { status: 409 })
          : fetch(url, init),
    });
    await ledger.tool(pay).call({ invoice: 'A' }, { run: 'r', waitMs: 5_000 });
    expect(late).toMatchObject({ name: 'NotSent', message: /the claim is lost/ });
  });

  it('keeps its claim for as long as it runs', async () => {
    const pay = payBy(() => new Promise((resolve) => setTimeout(resolve, 2_500, 'paid')), {
      leaseMs: 1_200,
    });
    const ledger = await world.remote({ tools: { pay } });
    const { word, actionId = '' } = await ledger.tool(pay).call(...call());
    expect(word).toBe('done');
    const events = await ledger.events(actionId);
    expect(events.map(({ type }) => type)).toContain('ClaimExtended');
  });

  it('has all of its time, however long the ledger could not be reached before', async () => {
    const pay = payBy(() => 'paid', { timeoutMs: 300, leaseMs: 300 });
    let refusals = 0;
    const ledger = await world.remote({
      tools: { pay },
      fetch: async (url, init) => {
        if (!(url as URL).pathname.endsWith('/v1/actions') || refusals === 1)
          return fetch(url, init);
        refusals += 1;
        await new Promise((resolve) => setTimeout(resolve, 400));
        throw new TypeError('fetch failed', {
          cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }),
        });
      },
    });
    const answer = await ledger.tool(pay).call(...call());
    expect([answer.word, refusals]).toEqual(['done', 1]);
    const events = await ledger.events(answer.actionId ?? '');
    expect(events.map(({ type }) => type)).not.toContain('AttemptNotSent');
  });

  it('is aborted at its deadline: then it is not known', async () => {
    const pay = payBy(() => new Promise(() => undefined), { timeoutMs: 50 });
    const ledger = await world.remote({ tools: { pay } });
    expect(await ledger.tool(pay).call(...call())).toMatchObject({ state: 'unknown' });
  });
});

describe('a program that only reads', () => {
  it('declares nothing, and asks for no work', async () => {
    const asked: string[] = [];
    const input = z.object({ account: z.string() });
    const read = { name: 'rate', kind: 'read', input, execute: () => 7 } as const;
    const ledger = await world.remote({
      tools: { rate: defineTool(read) },
      fetch: (url, init) => {
        asked.push((url as URL).pathname);
        return fetch(url, init);
      },
    });
    const answer = await ledger.tools['rate']?.call({ account: 'a' });
    expect([answer?.state, answer?.result, asked]).toEqual(['passed-through', 7, []]);
  });
});

describe('what others have left', () => {
  it('is looked up by whoever has the tool: the one that sent it is gone', async () => {
    const pay = payBy(() => 'sent again', {
      guarantee: 'lookup',
      timeoutMs: 50,
      leaseMs: 50,
      lookup: ({ arguments: { invoice } }: { arguments: { invoice: string } }) =>
        ({ verdict: 'found', result: { paid: invoice } }) as const,
    });
    const declarations = [callerDeclaration(pay)];
    await world.ledger.callers.register({ tenant, by: 'ann', declarations });
    const of = { tool: pay.name, arguments: { invoice: 'A' }, origin: { run: 'r' }, tenant };
    const execute = { worker: 'one that is gone' };
    const { answer, dispatch } = await world.ledger.callers.propose({ ...of, execute });
    expect(dispatch).toMatchObject({ attempt: 1 });
    const ledger = await world.remote({ tools: { pay } });
    expect(await ledger.rest(answer.actionId ?? '', 30_000)).toMatchObject({
      status: 'succeeded',
      outcome: { result: { paid: 'A' } },
    });
  });
});

describe('secret arguments', () => {
  const digestKey = 'the same in every process';

  it('are given to the tool alone, also after people were asked, and in a workflow', async () => {
    const sent: string[] = [];
    const execute = ({ arguments: args }: { arguments: { invoice?: string; note?: string } }) =>
      sent.push(`${args.invoice ?? ''}${args.note ?? ''}`);
    const input = z.object({ invoice: z.string().optional(), note: z.string().optional() });
    const secret = { input, secret: ['invoice'], free: ['note'], scope: 'call' };
    const pay = payBy(execute, { ...secret, approval: true });
    const step = payBy(execute, secret);
    let holding: readonly string[] = [];
    const ledger = await world.remote({
      tools: [pay, step],
      digestKey,
      fetch: (url, init) => {
        if ((url as URL).pathname === '/v1/work')
          ({ holding = [] } = JSON.parse(init?.body as string) as {
            readonly holding?: readonly string[];
          });
        return fetch(url, init);
      },
    });
    const [first, context] = call('hush-1');
    const waiting = await ledger.tool(pay).call({ ...first, note: ' first' }, context);
    expect(waiting.word).toBe('waiting-for-approval');
    // What was approved is sent, however it was said again.
    await ledger.tool(pay).call({ ...first, note: ' second' }, context);
    const bob = await world.remote({ apiKey: 'bob' });
    const { actionId = '' } = waiting;
    const loaded = await bob.load(actionId);
    const { argumentsHash = '', revision = 0 } = loaded.kind === 'action' ? loaded.action : {};
    const edit = { actionId, arguments: { invoice: 5 }, reason: 'r', revisionSeen: revision };
    expect((await ledger.edit(edit)).code).toBe('arguments.invalid');
    await bob.vote({ actionId, vote: 'approve', argumentsHash });
    expect((await bob.rest(actionId, 20_000))?.status).toBe('succeeded');
    const ran = await ledger.workflow({ id: 'hush' }, (take) =>
      take('pay', ledger.tool(step) as never, { invoice: 'hush-2' }, { compensate: 'impossible' }),
    );
    expect(ran.status).toBe('completed');
    expect(sent).toEqual(['hush-1 first', 'hush-2']);
    const record = [await bob.events(actionId), await bob.workflows.show('hush')];
    expect(JSON.stringify(record)).not.toContain('hush-');
    expect((await ledger.tool(pay).call({ ...first }, context)).word).toBe('already-done');
    expect((await ledger.tool(pay).call(...call('hush-3'))).word).toBe('other-arguments');
    const other = { run: 'run-3', turn: 't', call: 'c', waitMs: 0 };
    const { actionId: gone = '' } = await ledger.tool(pay).call(first, other);
    const planned = await bob.load(gone);
    const revisionSeen = planned.kind === 'action' ? planned.action.revision : 0;
    await bob.cancel({ actionId: gone, revisionSeen, reason: 'not needed' });
    await ledger.tool(pay).call(first, other);
    // Of all that is over, nothing is held.
    const last = await ledger
      .tool(pay)
      .call(first, { run: 'run-2', turn: 't', call: 'c', waitMs: 0 });
    const { actionId: held = '' } = last;
    while (!holding.includes(held)) await new Promise(setImmediate);
    expect(holding).toEqual([held]);
  });
});

describe('tools that are refused', () => {
  it.each<[string, () => readonly Tool[], string, string]>([
    [
      'of a name',
      () => [payBy(() => 1, { name: 'pay' })],
      'RegistrationRefused',
      'tool.served-here',
    ],
    [
      'twice',
      () => [payBy(() => 1, { name: 'x' }), payBy(() => 1, { name: 'x' })],
      'ToolDeclarationError',
      'tool.duplicate-name',
    ],
    [
      'with code',
      () => [payBy(() => 1, { policy: { version: '1', decide: () => ({ effect: 'deny' }) } })],
      'ToolDeclarationError',
      'tool.caller',
    ],
    [
      'with secrets and no key',
      () => [payBy(() => 1, { secret: ['invoice'], scope: 'call' })],
      'LedgerError',
      'ledger.options',
    ],
  ])('%s', async (_what, tools, name, code) => {
    await expect(world.remote({ tools: tools() })).rejects.toMatchObject({ name, code });
  });

  it('where the ledger is not there', async () => {
    const options = { url: 'http://127.0.0.1:2', retryForMs: 0, tools: [payBy(() => 1)] };
    await expect(createLedger(options)).rejects.toMatchObject({ code: 'remote.unreachable' });
  });

  it('of another identity', async () => {
    const pay = payBy(() => 1);
    await world.remote({ tools: [pay] });
    const other = payBy(() => 1, { name: pay.name, scope: 'tenant' });
    await expect(world.remote({ tools: [other] })).rejects.toMatchObject({
      name: 'RegistrationRefused',
      code: 'tool.identity-changed',
    });
  });
});

describe('the end', () => {
  it('waits for a call whose answer is on its way, and tells what became of it', async () => {
    const pay = payBy(() => 'paid');
    const [asked, go] = [gate(), gate()];
    let polled: Promise<unknown> = Promise.resolve();
    const ledger = await world.remote({
      tools: { pay },
      fetch: async (url, init) => {
        const reply = fetch(url, init);
        if ((url as URL).pathname === '/v1/work') polled = Promise.allSettled([reply]);
        if ((url as URL).pathname !== '/v1/actions') return reply;
        await reply;
        asked.open();
        await go.passed;
        return reply;
      },
    });
    const called = ledger.tool(pay).call(...call());
    await asked.passed;
    const closed = ledger.close();
    // Nothing but the call is under way any more.
    await polled;
    await new Promise(setImmediate);
    go.open();
    await closed;
    const { actionId } = await called;
    expect(await statusOf(await world.remote(), actionId)).toBe('succeeded');
  });

  it('aborts what runs too long, and tells what became of it', async () => {
    const pay = payBy(() => new Promise(() => undefined));
    const ledger = await world.remote({ tools: { pay } });
    const { actionId } = await ledger.tool(pay).call({ invoice: 'A' }, { run: 'r', waitMs: 0 });
    await ledger.close({ drainMs: 0 });
    expect(await statusOf(await world.remote(), actionId)).toBe('unknown');
    await expect(ledger.tool(pay).call(...call('B'))).rejects.toMatchObject({
      code: 'ledger.closed',
    });
  });
});
