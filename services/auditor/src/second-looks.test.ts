import { describe, expect, it } from '@jest/globals';
import { type BrokenRecord } from '@action-ledger/application';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { createSecondLooks } from './second-looks.ts';

const second = 1_000;
const graceMs = 15 * second;
const breach: BrokenRecord = { stream: 'action-s', invariant: 'links-complete', detail: 'half' };
const moved = { revision: 1, certain: [], suspected: [], againAfterMs: 10 * second };
const suspect = { revision: 1, certain: [], suspected: [breach] };

describe('second looks', () => {
  it('come in time however many streams have moved', async () => {
    const runtime = createVirtualRuntime();
    const looked = new Set<string>();
    const looks = createSecondLooks(runtime, graceMs, async (streams) => {
      for (const stream of streams) {
        looked.add(stream);
        looks.note(stream, { revision: 1, certain: [], suspected: [] });
      }
    });
    for (let n = 0; n < 1_000; n += 1) looks.note(`action-${n}`, moved);
    await runtime.advance(graceMs);
    expect([looked.size, looks.size()]).toEqual([1_000, 0]);
  });

  it('drop nothing that is suspected for what only moved, and look at it first', async () => {
    const runtime = createVirtualRuntime();
    const first: (string | undefined)[] = [];
    const looks = createSecondLooks(runtime, graceMs, async ([stream]) => {
      first.push(stream);
      looks.stop();
    });
    for (let n = 0; n < 20_000; n += 1)
      looks.note(`action-${n}`, { ...moved, againAfterMs: graceMs });
    looks.note('action-s', suspect);
    await runtime.advance(2 * graceMs);
    expect([first, looks.note('action-s', suspect)]).toEqual([['action-s'], [breach]]);
  });

  it('try again, and not at once, where they failed', async () => {
    const runtime = createVirtualRuntime();
    let tries = 0;
    const looks = createSecondLooks(runtime, graceMs, async () => {
      tries += 1;
    });
    looks.note('action-1', moved);
    await runtime.advance(graceMs);
    expect(tries).toBe(2);
    looks.stop();
  });
});
