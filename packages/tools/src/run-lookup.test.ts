import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { type JsonObject } from '@action-ledger/domain';
import { defineTool } from './define-tool.ts';
import { type AttemptContext } from './definition.ts';
import { runLookup } from './run-lookup.ts';
import { type Tool } from './tool.ts';

function toolOf(lookup: unknown): Tool {
  return defineTool<JsonObject>({
    name: 't',
    input: z.object({ to: z.string() }),
    guarantee: 'manual',
    execute: () => null,
    ...(lookup !== undefined && { lookup: lookup as never }),
  });
}

const context: AttemptContext<JsonObject> = {
  actionId: 'a1',
  tenant: 't1',
  tool: 't',
  arguments: { to: 'x' },
  downstreamKey: 'k'.repeat(43),
  attempts: [{ attempt: 1, dispatchedAt: 1_000, deadlineAt: 31_000 }],
  evidence: [{ source: 'webhook', at: 2_000, externalId: 're_1' }],
  signal: new AbortController().signal,
};

describe('what a lookup says', () => {
  it.each<[string, unknown, object]>([
    ['absent', () => ({ verdict: 'absent' }), { verdict: 'absent' }],
    ['found, with nothing more', async () => ({ verdict: 'found' }), { verdict: 'found' }],
    [
      'F203 found, with id and result',
      () => ({ verdict: 'found', externalId: 'e', result: { a: 1 } }),
      { verdict: 'found', externalId: 'e', result: { a: 1 } },
    ],
    [
      'ambiguous',
      () => ({ verdict: 'ambiguous', reason: 'two' }),
      { verdict: 'ambiguous', reason: 'two' },
    ],
    [
      'an error thrown',
      () => {
        throw new Error('down');
      },
      { verdict: 'error', reason: 'Error: down' },
    ],
    [
      'a word',
      () => 'absent',
      { verdict: 'error', reason: 'the lookup returned no verdict', came: 'absent' },
    ],
    [
      'nothing',
      () => undefined,
      { verdict: 'error', reason: 'the lookup returned no verdict', came: 'undefined' },
    ],
    [
      'no verdict',
      () => ({ found: true }),
      {
        verdict: 'error',
        reason: 'the lookup returned neither found, absent nor ambiguous',
        came: 'an object without verdict: found',
      },
    ],
    [
      'another verdict',
      () => ({ verdict: 'missing' }),
      {
        verdict: 'error',
        reason: 'the lookup returned neither found, absent nor ambiguous',
        came: 'the verdict "missing"',
      },
    ],
    ['no lookup at all', undefined, { verdict: 'error', reason: 'the tool has no lookup' }],
  ])('%s', async (_title, lookup, outcome) => {
    expect(await runLookup(toolOf(lookup), context)).toEqual(outcome);
  });

  it('F203 is asked with key, arguments, attempt times and evidence', async () => {
    let given: unknown;
    await runLookup(
      toolOf((asked: unknown) => {
        given = asked;
        return { verdict: 'absent' };
      }),
      context,
    );
    expect(given).toEqual(context);
  });

  it('is an error once the signal aborts, whatever comes later', async () => {
    const controller = new AbortController();
    const running = runLookup(
      toolOf(() => new Promise(() => undefined)),
      { ...context, signal: controller.signal },
    );
    controller.abort(new Error('out of time'));
    expect(await running).toEqual({ verdict: 'error', reason: 'aborted: Error: out of time' });
  });
});
