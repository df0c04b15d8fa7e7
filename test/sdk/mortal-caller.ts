// Tools of a program that is killed in the middle of its sends: each effect is a line of a file, which outlives
// the program, and in which a lookup finds it.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { defineTool, type Tool } from '@action-ledger/client';
import { z } from 'zod';

export interface Told {
  readonly url: string;
  /** One line per effect, and one per send that never came to it. */
  readonly effects: string;
  /** It stands still in the middle of each send. */
  readonly hangs: boolean;
}

export function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

/** `late`: has had its effect when it hangs; `early`: has not. */
export const invoices = ['late', 'early'] as const;

export const origin = { run: 'run-1', call: 'c-1' };

export function mortalTools({ effects, hangs }: Told): readonly Tool[] {
  const input = z.object({ invoice: z.enum(invoices) });
  const inFlight = { timeoutMs: 1_500, inFlightMs: 1_500, leaseMs: 1_500, settleMs: 0 };
  const times = { ...inFlight, checks: { intervalMinMs: 500 } };
  const of = (name: string) => ({
    name,
    input,
    ...times,
    execute: async ({
      arguments: { invoice },
      beforeSend,
    }: {
      readonly arguments: { readonly invoice: string };
      readonly beforeSend: () => void;
    }) => {
      beforeSend();
      const effect = `${name} ${invoice}`;
      appendFileSync(effects, hangs && invoice === 'early' ? `${effect}?\n` : `${effect}\n`);
      if (hangs) await new Promise(() => undefined);
      return { paid: invoice };
    },
  });
  return [
    defineTool({
      ...of('looked-up'),
      guarantee: 'lookup',
      lookup: ({ arguments: { invoice } }) =>
        linesOf(effects).includes(`looked-up ${invoice}`)
          ? { verdict: 'found', result: { paid: invoice } }
          : { verdict: 'absent' },
    }),
    defineTool({ ...of('by-hand'), guarantee: 'manual' }),
  ] as readonly Tool[];
}
