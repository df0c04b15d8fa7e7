// What is left of an outcome that the ledger does not take as it is.
import { describe, expect, it } from '@jest/globals';
import { type AttemptOutcome, type JsonValue } from '@action-ledger/domain';
import { type Told } from '../ask.ts';
import { reportOutcome } from './report-outcome.ts';

/** What is said to a ledger that refuses the form so often. */
async function said(refusals: number, outcome: AttemptOutcome): Promise<readonly JsonValue[]> {
  const bodies: JsonValue[] = [];
  const refused = { kind: 'problem', status: 400, problem: { code: 'request.invalid' } };
  const deps = {
    ask: async ({ body }: { readonly body?: unknown }) => {
      bodies.push((body as { readonly outcome: JsonValue }).outcome);
      const taken = {
        kind: 'answer',
        body: { answer: { word: 'done', state: 'succeeded', messageForModel: '' } },
      };
      return (bodies.length <= refusals ? refused : taken) as unknown as Told;
    },
    pause: async () => undefined,
    onFault: () => undefined,
    closed: new AbortController().signal,
    sha256: (text: string) => text.slice(0, 9),
  };
  const held = { actionId: 'a.0', worker: 'w', claim: 1, attempt: 1 };
  await reportOutcome(deps, held, outcome, ['outcome.order.id']);
  return bodies;
}

const paid = {
  kind: 'succeeded',
  result: { order: { id: 'o-1', lines: 'x'.repeat(9_000) } },
  externalId: 're_1',
  digest: 'whole',
  notes: ['one'],
} as const;

describe('an outcome that is refused for its form', () => {
  it('is told with what finds its effect, and then without', async () => {
    const [first, second, third, ...more] = await said(2, paid);
    expect(first).toEqual(paid);
    expect(second).toMatchObject({
      result: { order: { id: 'o-1' } },
      externalId: 're_1',
      digest: 'whole',
    });
    expect(JSON.stringify(second).length).toBeLessThan(2_000);
    expect(third).toEqual({ kind: 'succeeded', result: null, notes: [expect.any(String)] });
    expect(more).toEqual([]);
  });

  it('keeps by what it is tried again', async () => {
    const no = { kind: 'no effect', reason: 'x'.repeat(5_000), retryable: true } as const;
    const [, second] = await said(1, { ...no, code: 'busy', retryAfterMs: 500, detail: {} });
    expect(second).toEqual({ ...no, reason: 'x'.repeat(200), code: 'busy', retryAfterMs: 500 });
  });
});
