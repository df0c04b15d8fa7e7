/* eslint-disable max-lines-per-function -- a suite is a list of sentences, as in a test file */
// Delivery: every record, in the order of its key, one call at a time for each partition, whatever
// the other partitions do; gaps between offsets are no loss.
import { describe, expect, it } from '@jest/globals';
import { eventPlaceOf } from '@action-ledger/event-log';
import {
  createGate,
  events,
  follow,
  names,
  revisionsByStream,
  sorted,
  streams,
  streamsIn,
  totalLag,
  turns,
  type WithLog,
} from './log-harness.ts';

export function deliveringContract(withLog: WithLog): void {
  describe('delivering', () => {
    it(
      'gives every record once, with its event, in the order of its stream',
      withLog(async (log, { feed }) => {
        await feed(['s-a', 's-b', 's-a', 's-c', 's-a', 's-b']);
        const seen = await follow(log);
        await seen.untilHandled(6);
        expect(sorted(names(seen.delivered))).toEqual(
          sorted(['s-a:0', 's-b:0', 's-a:1', 's-c:0', 's-a:2', 's-b:1']),
        );
        expect(revisionsByStream(seen.delivered)).toEqual(
          new Map([
            ['s-a', [0, 1, 2]],
            ['s-b', [0, 1]],
            ['s-c', [0]],
          ]),
        );
        for (const record of seen.delivered) {
          expect(record.topic).toBe(events);
          expect(record.key).toBe(eventPlaceOf(record)?.stream);
          expect(record.value?.byteLength).toBeGreaterThan(0);
        }
      }),
    );

    it(
      'keeps a stream in one partition, and offsets rise there',
      withLog(async (log, { feed }) => {
        const many = streams('s', 30);
        await feed([...many, ...many, ...many]);
        const seen = await follow(log);
        await seen.untilHandled(90);
        const partitionOf = new Map<string, number>();
        const last = new Map<number, number>();
        for (const { key, partition, offset } of seen.delivered) {
          expect(partitionOf.get(key) ?? partition).toBe(partition);
          partitionOf.set(key, partition);
          expect(offset).toBeGreaterThan(last.get(partition) ?? -1);
          last.set(partition, offset);
        }
        expect(last.size).toBeGreaterThan(1);
      }),
    );

    it(
      'goes on with what comes later',
      withLog(async (log, { feed }) => {
        const seen = await follow(log);
        await feed(['s-a']);
        await seen.untilHandled(1);
        await turns();
        await feed(['s-a', 's-b']);
        await seen.untilHandled(3);
        expect(revisionsByStream(seen.delivered).get('s-a')).toEqual([0, 1]);
      }),
    );

    it(
      'calls for one partition after the other, with no more than batchMax records of it',
      withLog(async (log, { feed }) => {
        const many = streams('s', 10);
        for (let round = 0; round < 10; round += 1) await feed(many);
        const busy = new Set<number>();
        const sizes: number[] = [];
        const seen = await follow(log, {
          batchMax: 3,
          handle: async (records, { partition }) => {
            expect(busy.has(partition)).toBe(false);
            busy.add(partition);
            sizes.push(records.length);
            expect(records.every((record) => record.partition === partition)).toBe(true);
            await turn();
            busy.delete(partition);
          },
        });
        await seen.untilHandled(100);
        expect(seen.faults).toEqual([]);
        expect(Math.max(...sizes)).toBe(3);
        for (const revisions of revisionsByStream(seen.delivered).values()) {
          expect(revisions).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        }
      }),
    );

    it(
      'handles 10,000 records of 500 streams in the order of each, some of them while it runs',
      withLog(async (log, { feed }) => {
        const many = streams('s', 500);
        for (let round = 0; round < 10; round += 1) await feed(many);
        const seen = await follow(log);
        for (let round = 0; round < 10; round += 1) await feed(many);
        await seen.untilHandled(10_000);
        const found = revisionsByStream(seen.handled);
        expect(found.size).toBe(500);
        const inOrder = Array.from({ length: 20 }, (_, index) => index);
        for (const revisions of found.values()) expect(revisions).toEqual(inOrder);
      }),
    );

    it(
      'is not held up by a slow handler in another partition',
      withLog(async (log, { feed }) => {
        const gate = createGate();
        let slow: number | undefined;
        const seen = await follow(log, {
          handle: async (_records, { partition }) => {
            slow ??= partition;
            if (partition === slow) await gate.opened;
          },
        });
        const many = streams('s', 40);
        await feed(many);
        await seen.until(() => slow !== undefined);
        await feed(many);
        const there = await streamsIn(log, slow, 80);
        const others = () => seen.handled.filter((record) => record.partition !== slow);
        await seen.until(() => others().length === 80 - 2 * there);
        gate.open();
        await seen.untilHandled(80);
        expect(seen.delivered).toHaveLength(80);
      }),
    );

    it(
      'takes a jump of offsets for no loss, and goes on behind it after a restart',
      withLog(async (log, { feed, leaveGap }) => {
        const many = streams('s', 12);
        await feed(many);
        const first = await follow(log);
        await first.untilHandled(12);
        await leaveGap();
        await feed([...many, ...many]);
        await first.untilHandled(36);
        expect(hasJump(first.handled)).toBe(true);
        await first.close();
        expect(await totalLag(log)).toBe(0);
        await leaveGap();
        await feed(['s-0']);
        const second = await follow(log);
        await second.untilHandled(1);
        expect(names(second.handled)).toEqual(['s-0:3']);
      }),
    );
  });
}

function hasJump(
  records: readonly { readonly partition: number; readonly offset: number }[],
): boolean {
  const last = new Map<number, number>();
  let found = false;
  for (const { partition, offset } of records) {
    const before = last.get(partition);
    if (before !== undefined && offset > before + 1) found = true;
    last.set(partition, offset);
  }
  return found;
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
