/* eslint-disable max-lines-per-function -- a suite is a list of sentences, as in a test file */
// Groups: every partition belongs to one consumer of a group at a time; whoever loses one is told, and
// what it still does there is not committed.
import { describe, expect, it } from '@jest/globals';
import { type Assignment, PoisonRecord } from '@action-ledger/event-log';
import {
  consumerOf,
  createGate,
  events,
  follow,
  type Following,
  lagAt,
  names,
  revisionsByStream,
  sorted,
  streams,
  totalLag,
  turns,
  type WithLog,
} from './log-harness.ts';

export function groupsContract(withLog: WithLog): void {
  describe('groups', () => {
    it(
      'each group gets every record',
      withLog(async (log, { feed }) => {
        await feed(['s-a', 's-b']);
        const one = await follow(log, { group: 'one' });
        const two = await follow(log, { group: 'two' });
        await Promise.all([one.untilHandled(2), two.untilHandled(2)]);
        expect(sorted(names(one.delivered))).toEqual(sorted(names(two.delivered)));
      }),
    );

    it(
      'the consumers of a group share its partitions, and one that leaves hands over its own',
      withLog(async (log, { feed }) => {
        const first = await follow(log);
        await first.until(() => first.assignments.length > 0);
        const all = partitionsOf(first.assignment());
        const second = await follow(log);
        await bothHave(first, second, all);
        expect(first.assignment().partitions.length).toBeGreaterThan(0);
        expect(second.assignment().partitions.length).toBeGreaterThan(0);
        await second.close();
        await first.until(() => partitionsOf(first.assignment()).join() === all.join());
        expect(second.assignment().partitions).toEqual([]);
        const many = streams('s', 20);
        await feed(many);
        await first.untilHandled(20);
      }),
    );

    it(
      'tells assigned and revoked in turns, with a generation that rises',
      withLog(async (log) => {
        const first = await follow(log);
        await first.until(() => first.notices.length === 1);
        const second = await follow(log);
        await first.until(() => first.notices.length === 3);
        await second.close();
        await first.until(() => first.notices.length === 5);
        await first.close();
        const generations = first.assignments.map((each) => each.generation);
        expect(generations).toHaveLength(3);
        expect(sortedNumbers(generations)).toEqual(generations);
        expect(new Set(generations).size).toBe(3);
        expect(first.notices).toEqual(
          generations.flatMap((each) => [`assigned ${each}`, `revoked ${each}`]),
        );
      }),
    );

    it(
      'what two consumers handle together is everything, in the order of each stream',
      withLog(async (log, { feed }) => {
        const many = streams('s', 50);
        const first = await follow(log);
        for (let round = 0; round < 5; round += 1) await feed(many);
        const second = await follow(log);
        for (let round = 0; round < 5; round += 1) await feed(many);
        const handled = () => new Set([...names(first.handled), ...names(second.handled)]);
        const isAll = () => handled().size === 500;
        await Promise.race([first.until(isAll), second.until(isAll)]);
        for (const seen of [first, second]) {
          for (const revisions of revisionsByStream(seen.handled).values()) {
            // Some may have come again, from an earlier one on; none was passed over.
            for (const [index, revision] of revisions.entries()) {
              expect(revision).toBeLessThanOrEqual((revisions[index - 1] ?? revision) + 1);
            }
          }
        }
      }),
    );

    it(
      'a consumer that dies hands over its partitions',
      withLog(async (log, { feed, kill }) => {
        const first = await follow(log);
        await first.until(() => first.assignments.length > 0);
        const all = partitionsOf(first.assignment());
        const second = await follow(log);
        await bothHave(first, second, all);
        await kill(consumerOf(first));
        await second.until(() => partitionsOf(second.assignment()).join() === all.join());
        await feed(streams('s', 20));
        await second.untilHandled(20);
        expect(first.delivered).toEqual([]);
      }),
    );
  });

  describe('a rebalance while a handler runs', () => {
    it(
      'FW15 aborts its signal and refuses its commit; the records come again, and only that counts',
      withLog(async (log, { feed }) => {
        const gates = [createGate(), createGate()];
        const many = streams('s', 20);
        await feed(many);
        const first = await follow(log, { handle: () => gates[0]?.opened ?? Promise.resolve() });
        await first.until(() => first.delivered.length === 20);
        const second = await follow(log, { handle: () => gates[1]?.opened ?? Promise.resolve() });
        await second.until(() => second.delivered.length > 0);
        const [moved] = second.delivered;
        const [lost] = first.deliveries.filter(({ partition }) => partition === moved?.partition);
        expect(lost?.signal.aborted).toBe(true);
        gates[0]?.open();
        const isRefused = () =>
          first.faults.some(
            (fault) =>
              fault.kind === 'commit refused' &&
              fault.partition === moved?.partition &&
              fault.generation === lost?.generation,
          );
        await first.until(isRefused);
        const before = lagAt(await log.lag('group', [events]), moved);
        expect(before?.next ?? 0).toBeLessThanOrEqual(moved?.offset ?? NaN);
        gates[1]?.open();
        await untilNoLag(log);
        const isMoved = (name: string): boolean => names(second.handled).includes(name);
        expect(names(second.delivered).every(isMoved)).toBe(true);
        expect(new Set([...names(first.handled), ...names(second.handled)]).size).toBe(20);
      }),
    );

    it(
      "counts no failure of it: the record is the next one's to judge",
      withLog(async (log, { feed }) => {
        const gate = createGate();
        await feed(streams('s', 20));
        const first = await follow(log, {
          handle: async (_records, { signal, partition }) => {
            await gate.opened;
            if (!signal.aborted) return;
            throw partition % 2 === 0 ? new PoisonRecord('too late to say') : new Error('too late');
          },
        });
        await first.until(() => first.delivered.length === 20);
        const second = await follow(log);
        await second.until(() => second.handled.length > 0);
        gate.open();
        const all = () => new Set([...names(first.handled), ...names(second.handled)]).size === 20;
        await Promise.race([first.until(all), second.until(all)]);
        await untilNoLag(log);
        expect(first.faults).toEqual([]);
        expect(second.faults).toEqual([]);
      }),
    );

    it(
      'never has one consumer handle a partition twice at once, though it gets it again',
      withLog(async (log, { feed }) => {
        const gate = createGate();
        const running = new Map<number, number>();
        let most = 0;
        const first = await follow(log, {
          handle: async (_records, { partition }) => {
            running.set(partition, (running.get(partition) ?? 0) + 1);
            most = Math.max(most, running.get(partition) ?? 0);
            await gate.opened;
            running.set(partition, (running.get(partition) ?? 0) - 1);
          },
        });
        await feed(streams('s', 20));
        await first.until(() => first.delivered.length === 20);
        const second = await follow(log, { handle: () => gate.opened });
        await second.until(() => second.delivered.length > 0);
        await turns();
        const closed = second.close();
        gate.open();
        await closed;
        await first.untilHandled(20);
        await untilNoLag(log);
        expect(most).toBe(1);
      }),
    );
  });
}

async function untilNoLag(log: Parameters<typeof totalLag>[0]): Promise<void> {
  while ((await totalLag(log)) > 0) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
}

/** Together they have all partitions, and none of them both. */
async function bothHave(one: Following, two: Following, all: readonly string[]): Promise<void> {
  const holds = (): boolean => {
    const held = [...partitionsOf(one.assignment()), ...partitionsOf(two.assignment())];
    return sorted(held).join() === all.join();
  };
  await Promise.race([one.until(holds), two.until(holds)]);
}

function partitionsOf({ partitions }: Assignment): readonly string[] {
  return sorted(partitions.map(({ topic, partition }) => `${topic}/${partition}`));
}

function sortedNumbers(numbers: readonly number[]): readonly number[] {
  return [...numbers].sort((a, b) => a - b);
}
