// The ledger with all its features on, through its SDK, as a program uses it. The endpoint can be asked
// by key, so the tool's guarantee is `lookup`; its times are those of a call on the loopback.
import { join } from 'node:path';
import { type AnswerWord, createLedger, defineTool } from '@action-ledger/client';
import { z } from 'zod';
import { type Contender, type ContenderContext, mainFile, type Told } from '../contender.ts';
import { type EffectsClient } from '../effects-client.ts';
import { type PaymentArguments } from '../payment.ts';

const input = z.strictObject({
  payment_id: z.string().min(1),
  account: z.string().min(1),
  amount_minor: z.int().positive(),
  currency: z.string().length(3),
  recipient: z.strictObject({ name: z.string(), iban: z.string() }),
  lines: z.array(z.strictObject({ article: z.string(), quantity: z.int().positive() })),
  memo: z.string(),
});

export async function openLedger({ dir, effects }: ContenderContext): Promise<Contender> {
  const ledger = await openPayLedger(dir, effects);
  return {
    perform: (n, payment, waitMs) => perform(ledger, n, payment, waitMs),
    close: () => ledger.close(),
  };
}

export function openPayLedger(dir: string, effects: Effects) {
  return createLedger({ path: join(dir, mainFile), tools: { pay: payTool(effects) } });
}

type Effects = Pick<EffectsClient, 'send' | 'find'>;

export function payTool(effects: Effects) {
  return defineTool({
    name: 'pay',
    input,
    identity: ['payment_id'],
    guarantee: 'lookup',
    timeoutMs: 1000,
    inFlightMs: 1500,
    settleMs: 100,
    checks: { intervalMinMs: 100 },
    execute: ({ arguments: payment, downstreamKey, beforeSend }) => {
      beforeSend();
      return effects.send(downstreamKey, payment);
    },
    lookup: async ({ downstreamKey }) => {
      const result = await effects.find(downstreamKey);
      return result ? { verdict: 'found', result } : { verdict: 'absent' };
    },
  });
}

export type PayLedger = Awaited<ReturnType<typeof openPayLedger>>;

export async function perform(
  ledger: PayLedger,
  n: number,
  payment: PaymentArguments,
  waitMs?: number,
): Promise<Told> {
  const call = { run: 'bench', turn: '1', call: `call_${n}` };
  const origin = waitMs === undefined ? call : { ...call, waitMs };
  return toldBy((await ledger.tools.pay.call(payment, origin)).word);
}

export function toldBy(word: AnswerWord): Told {
  switch (word) {
    case 'done':
      return 'done';
    case 'already-done':
    case 'done-earlier':
      return 'duplicate';
    case 'in-progress':
    case 'checking':
    case 'waiting-for-approval':
      return 'being checked';
    case 'failed-without-effect':
    case 'nothing-done':
    case 'refused':
    case 'other-arguments':
      return 'failed';
  }
}
