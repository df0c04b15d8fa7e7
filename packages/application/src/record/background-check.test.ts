import { expect, it } from '@jest/globals';
import { type RecordedEvent } from '@action-ledger/event-store';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { type CompensatorDeps } from '../workflow/compensator-deps.ts';
import { checkInBackground } from './background-check.ts';

it('rests while it looks at what was given up, and ends with the ledger', async () => {
  const runtime = createVirtualRuntime();
  const head = 1_000_000;
  const event: RecordedEvent = {
    ...{ id: 'e', stream: 's', revision: 1, position: head, type: 'T' },
    ...{ data: '{}', metadata: '{}' },
  };
  let asked = 0;
  let isClosing = false;
  const lost: unknown[] = [];
  const parts = {
    store: {
      readAll: async ({ after }: { readonly after: number }) => (after < head ? [event] : []),
      givenUp: async ({ after, through }: { readonly after: number; readonly through: number }) => {
        asked += 1;
        return [{ position: after + 1, count: through - after, stream: 's' }];
      },
    },
    // Each part that it looks at takes as long as a bite.
    runtime: { ...runtime, clock: { ...runtime.clock, monoMs: () => asked * 10 } },
    isClosing: () => isClosing,
  };
  const check = checkInBackground({ parts } as unknown as CompensatorDeps, head, async (loss) => {
    lost.push(loss);
  });
  await runtime.settle();
  expect(asked).toBe(1);
  await runtime.advance(1_000);
  isClosing = true;
  await runtime.advance(1_000);
  await check;
  expect(asked).toBeLessThan(20);
  expect(lost).toEqual([]);
});
