// Tools whose provider does what a test has told it: answers, refuses, loses its reply, or waits.
import {
  type ExecuteContext,
  defineTool,
  inDoubt,
  type LookupVerdict,
  refused,
  succeeded,
  type Tool,
} from '@action-ledger/tools';
import { z } from 'zod';

export type End = 'doubt' | 'refused' | 'hang';

export interface Provider {
  /** The next sends end so; then they succeed again. */
  readonly next: (...ends: readonly End[]) => void;
  /** What the next lookups say; then `absent`. */
  readonly found: (...verdicts: readonly LookupVerdict[]) => void;
  /** Lets go what hangs. */
  readonly release: () => void;
  readonly effects: () => readonly string[];
}

export function createTools(): { readonly tools: readonly Tool[]; readonly provider: Provider } {
  const ends: End[] = [];
  const verdicts: LookupVerdict[] = [];
  const effects: string[] = [];
  const hanging: (() => void)[] = [];
  const execute = async ({
    beforeSend,
    arguments: args,
    signal,
  }: Pick<
    ExecuteContext<Readonly<Record<string, unknown>>>,
    'beforeSend' | 'signal' | 'arguments'
  >) => {
    beforeSend();
    const end = ends.shift();
    if (end === 'refused') return refused('no money', { code: 'bank.no-money' });
    effects.push(JSON.stringify(args));
    if (end === 'doubt') return inDoubt('the connection was lost');
    if (end === 'hang')
      await new Promise<void>((resolve) => {
        hanging.push(resolve);
        signal.addEventListener('abort', () => {
          resolve();
        });
      });
    return succeeded(
      { paid: true, order: args['invoice'] ?? null },
      { externalId: `tx-${effects.length}` },
    );
  };
  const lookup = (): LookupVerdict => verdicts.shift() ?? { verdict: 'absent' };
  return {
    tools: toolsOf(execute as never, lookup),
    provider: {
      next: (...more) => void ends.push(...more),
      found: (...more) => void verdicts.push(...more),
      release: () => {
        for (const go of hanging.splice(0)) go();
      },
      effects: () => effects,
    },
  };
}

type Execute = NonNullable<Parameters<typeof defineTool>[0]['execute']>;

function toolsOf(execute: Execute, lookup: () => LookupVerdict): readonly Tool[] {
  const pay = {
    input: z.object({ invoice: z.string(), cents: z.int(), note: z.string().optional() }),
    guarantee: 'manual' as const,
    identity: ['invoice'],
    free: ['note'],
    execute,
  };
  return [
    defineTool({ ...pay, name: 'pay' }),
    defineTool({ ...pay, name: 'approved', approval: { votes: 1 } }),
    defineTool({
      ...pay,
      name: 'denied',
      policy: { version: '1', decide: () => ({ effect: 'deny', reason: 'too much' }) },
    }),
    defineTool({
      ...pay,
      name: 'found',
      guarantee: 'lookup',
      lookup,
      settleMs: 0,
      checks: { intervalMinMs: 3_600_000 },
    }),
    defineTool({ ...pay, name: 'secret', secret: ['note'], free: [] }),
    defineTool({
      name: 'balance',
      kind: 'read',
      input: z.object({ account: z.string() }),
      execute: ({ arguments: { account } }) => {
        if (account === 'gone') throw new Error('no such account');
        return { cents: 7 };
      },
    }),
    ...bookings(execute),
  ] as readonly Tool[];
}

function bookings(execute: Execute): readonly Tool[] {
  const book = defineTool({
    name: 'book',
    input: z.object({ invoice: z.string() }),
    guarantee: 'manual',
    keep: ['outcome.order'],
    execute,
  });
  const unbook = defineTool({
    name: 'unbook',
    input: z.object({ order: z.string() }),
    guarantee: 'manual',
    execute,
  });
  return [book, unbook] as readonly Tool[];
}
