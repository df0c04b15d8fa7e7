import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { type JsonObject } from '@action-ledger/domain';
import { type AttemptOutcome } from './attempt-outcome.ts';
import { inDoubt, NotSent, notSent, refused, succeeded } from './attempt-result.ts';
import { defineTool } from './define-tool.ts';
import { type ExecuteContext } from './definition.ts';
import { runExecute } from './run-execute.ts';
import { type Tool } from './tool.ts';

type Execute = (context: ExecuteContext<JsonObject>) => unknown;

function toolOf(execute: Execute, more: object = {}): Tool {
  return defineTool<JsonObject>({
    name: 't',
    input: z.object({ to: z.string(), pin: z.string().optional() }) as never,
    guarantee: 'manual',
    execute,
    ...more,
  });
}

function contextOf(more: Partial<ExecuteContext<JsonObject>> = {}): ExecuteContext<JsonObject> {
  return {
    actionId: 'a1',
    tenant: 't1',
    tool: 't',
    arguments: { to: 'x', pin: '4711-secret' },
    downstreamKey: 'k'.repeat(43),
    attempts: [],
    evidence: [],
    signal: new AbortController().signal,
    attempt: 1,
    beforeSend: () => undefined,
    ...more,
  };
}

const run = (
  execute: Execute,
  more?: Partial<ExecuteContext<JsonObject>>,
): Promise<AttemptOutcome> => runExecute(toolOf(execute), contextOf(more));

const throwing =
  (thrown: unknown): Execute =>
  () => {
    throw thrown;
  };

describe('what became of an attempt', () => {
  it.each<[string, Execute, object]>([
    ['a plain value', () => 7, { kind: 'succeeded', result: 7 }],
    ['nothing', () => undefined, { kind: 'succeeded', result: undefined }],
    [
      'a promise of a value',
      async () => ({ ok: false }),
      { kind: 'succeeded', result: { ok: false } },
    ],
    [
      'success with an id',
      () => succeeded('r', { externalId: 're_1' }),
      { kind: 'succeeded', result: 'r', externalId: 're_1' },
    ],
    [
      'a numeric id',
      () => succeeded('r', { externalId: 77 as never }),
      { kind: 'succeeded', result: 'r', externalId: '77' },
    ],
    [
      'success without an id',
      () => succeeded('r', { externalId: undefined }),
      { kind: 'succeeded', result: 'r' },
    ],
    [
      'a refusal',
      () => refused('no', { code: 'declined', detail: { a: 1 } }),
      { kind: 'no effect', reason: 'no', code: 'declined', retryable: false, detail: { a: 1 } },
    ],
    [
      'a refusal for now',
      () => refused('later', { retryable: true, retryAfterMs: 1_500.2 }),
      { kind: 'no effect', reason: 'later', retryable: true, retryAfterMs: 1_501 },
    ],
    [
      'a refusal for every attempt',
      () => refused('no', { neverHadEffect: true }),
      { kind: 'no effect', reason: 'no', retryable: false, neverHadEffect: true },
    ],
    [
      'a refusal that claims much',
      () =>
        refused(null as never, {
          retryable: 'yes' as never,
          retryAfterMs: Infinity,
          neverHadEffect: 1 as never,
        }),
      { kind: 'no effect', reason: 'no reason given', retryable: false },
    ],
    [
      'doubt',
      () => inDoubt('busy', { answered: true, retryAfterMs: 5 }),
      { kind: 'in doubt', reason: 'busy', answered: true, retryAfterMs: 5 },
    ],
    [
      'an error thrown',
      throwing(new TypeError('boom')),
      { kind: 'in doubt', reason: 'TypeError: boom', answered: false },
    ],
    [
      'an error returned',
      () => new Error('boom'),
      { kind: 'in doubt', reason: 'Error: boom', answered: false },
    ],
    [
      'a rejection with a text',
      async () => {
        throw 'boom' as unknown;
      },
      { kind: 'in doubt', reason: 'boom', answered: false },
    ],
    [
      'a value without a text thrown',
      throwing(Object.create(null)),
      { kind: 'in doubt', reason: 'thrown: something that has no text', answered: false },
    ],
    ['said not to be sent', () => notSent('no route'), { kind: 'not sent', reason: 'no route' }],
    [
      'thrown not to be sent',
      throwing(new NotSent('late')),
      { kind: 'not sent', reason: 'NotSent: late' },
    ],
  ])('%s', async (_title, execute, outcome) => {
    expect(await run(execute)).toEqual(outcome);
  });

  it('is "not sent" where beforeSend forbids the send', async () => {
    const beforeSend = throwing(new NotSent('deadline passed')) as () => void;
    const execute: Execute = (context) => {
      context.beforeSend();
      return 'sent';
    };
    expect(await run(execute, { beforeSend })).toEqual({
      kind: 'not sent',
      reason: 'NotSent: deadline passed',
    });
  });

  it.each<[string, Execute]>([
    ['said', () => notSent('really')],
    ['thrown', throwing(new NotSent('really'))],
  ])('is doubt where "not sent" is %s after beforeSend was passed', async (_how, claim) => {
    const outcome = await run((context) => {
      context.beforeSend();
      return claim(context);
    });
    expect(outcome).toMatchObject({ kind: 'in doubt', answered: false });
  });

  it('F081 comes from one call with the very arguments, even when the effect was made and then an error thrown', async () => {
    const calls: unknown[] = [];
    const context = contextOf();
    const outcome = await runExecute(
      toolOf((given) => {
        calls.push(given.arguments);
        throw new Error('after the effect');
      }),
      context,
    );
    expect(outcome.kind).toBe('in doubt');
    expect(calls).toEqual([context.arguments]);
    expect(calls[0]).toBe(context.arguments);
  });

  it('keeps an error text within 2 KB and well formed', async () => {
    const outcome = await run(throwing(new Error('é'.repeat(5_000) + '\ud800')));
    const { reason } = outcome as { reason: string };
    expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(2_048);
    expect(Buffer.byteLength(reason)).toBeGreaterThan(2_000);
    expect(reason).toMatch(/^Error: é+…$/);
  });
});

describe('an abort', () => {
  it('before the start means that nothing was sent and execute is not called', async () => {
    let calls = 0;
    const outcome = await run(() => (calls += 1), {
      signal: AbortSignal.abort(new Error('claim lost')),
    });
    expect(outcome).toEqual({ kind: 'not sent', reason: 'aborted: Error: claim lost' });
    expect(calls).toBe(0);
  });

  it('leaves in doubt what ignores it, and reports its result as late', async () => {
    const controller = new AbortController();
    const late: AttemptOutcome[] = [];
    let finish: (value: string) => void = () => undefined;
    const running = runExecute(
      toolOf(() => new Promise<string>((resolve) => (finish = resolve))),
      contextOf({ signal: controller.signal }),
      (outcome) => late.push(outcome),
    );
    controller.abort(new Error('deadline'));
    expect(await running).toEqual({
      kind: 'in doubt',
      reason: 'aborted: Error: deadline',
      answered: false,
    });
    expect(late).toEqual([]);
    finish('done after all');
    await new Promise(setImmediate);
    expect(late).toEqual([{ kind: 'succeeded', result: 'done after all' }]);
  });

  it('lets a tool that heeds it say that nothing was sent', async () => {
    const controller = new AbortController();
    const running = run(
      ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            resolve(notSent('no connection yet'));
          });
        }),
      { signal: controller.signal },
    );
    controller.abort();
    expect(await running).toEqual({ kind: 'not sent', reason: 'no connection yet' });
  });

  it('forbids a send that comes after it', async () => {
    const controller = new AbortController();
    let passed = 0;
    const outcome = await run(
      (context) => {
        controller.abort(new Error('claim lost'));
        context.beforeSend();
        return 'sent';
      },
      { signal: controller.signal, beforeSend: () => (passed += 1) },
    );
    expect(outcome).toEqual({ kind: 'not sent', reason: 'NotSent: aborted: Error: claim lost' });
    expect(passed).toBe(0);
  });
});

describe('a secret field', () => {
  const tool = (execute: Execute): Tool => toolOf(execute, { secret: ['pin'] });

  it.each<[string, Execute, object]>([
    [
      'in an error',
      throwing(new Error('wrong pin 4711-secret')),
      { reason: 'Error: wrong pin [secret]' },
    ],
    [
      'in a refusal',
      () => refused('pin 4711-secret', { detail: { pin: ['4711-secret'] } }),
      { reason: 'pin [secret]', detail: { pin: ['[secret]'] } },
    ],
    [
      'in a result',
      () => succeeded({ echo: { '4711-secret': 'x 4711-secret' } }),
      { result: { echo: { '[secret]': 'x [secret]' } } },
    ],
    [
      'in an external id',
      () => succeeded(1, { externalId: 'id-4711-secret' }),
      { externalId: 'id-[secret]' },
    ],
  ])('is blotted out %s', async (_title, execute, expected) => {
    const outcome = await runExecute(tool(execute), contextOf());
    expect(outcome).toMatchObject(expected);
    expect(JSON.stringify(outcome)).not.toContain('4711-secret');
  });

  it("never changes the ledger's own words", async () => {
    const args = { to: 'x', pin: 'no effect' };
    const outcome = await runExecute(
      tool(() => refused('no effect')),
      contextOf({ arguments: args }),
    );
    expect(outcome).toEqual({ kind: 'no effect', reason: '[secret]', retryable: false });
  });

  it('does not turn a success into doubt where its result cannot be searched', async () => {
    const result = {
      get broken(): never {
        throw new Error('unreadable');
      },
    };
    const outcome = await runExecute(
      tool(() => result),
      contextOf(),
    );
    expect(outcome).toEqual({ kind: 'succeeded', result: '[secret]' });
  });

  it('leaves a result alone that does not hold it', async () => {
    const result = { at: new Date(0) };
    expect(
      await runExecute(
        tool(() => result),
        contextOf(),
      ),
    ).toEqual({ kind: 'succeeded', result });
  });
});
