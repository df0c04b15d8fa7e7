import { hash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { createMemoryEventStore } from '@action-ledger/event-store';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { createDailyPass, type DailyPass } from './daily-pass.ts';
import { createPassBook, type PassPlace } from './pass-book.ts';

const hour = 3_600_000;

it('a pass goes on where the process before was when it stopped, and comes again a day after it ended', async () => {
  const runtime = createVirtualRuntime();
  const store = createMemoryEventStore();
  const clock = { nowMs: () => runtime.clock.wallMs() };
  const sha256 = (text: string): string => hash('sha256', text, 'base64url');
  const deps = { store, clock, runtime, everyMs: 24 * hour, pauseMs: 15_000 };
  const begun: PassPlace[] = [];
  const open = (): DailyPass => {
    const book = createPassBook({ store, runtime, sha256, clock });
    const pass = createDailyPass({
      ...deps,
      book,
      pass: async (from, onMoved) => {
        begun.push(from);
        await onMoved(from.after + 3);
        if (begun.length === 1) await new Promise(() => undefined);
      },
    });
    pass.start();
    return pass;
  };
  await createPassBook({ store, runtime, sha256, clock }).end();
  const first = open();
  await runtime.advance(25 * hour);
  expect(begun).toEqual([{ after: 0, through: 1 }]);
  await first.stop();
  const second = open();
  await runtime.advance(23 * hour);
  expect(begun).toEqual([
    { after: 0, through: 1 },
    { after: 3, through: 1 },
  ]);
  await runtime.advance(2 * hour);
  expect(begun).toHaveLength(3);
  await second.stop();
});
