/* eslint-disable max-lines-per-function -- a suite is a list of sentences, as in a test file */
// A handler that fails: its records come again after a pause that grows, a record that can never be
// handled is put aside with its reason, an outage puts nothing aside; nothing else is held up.
import { describe, expect, it } from '@jest/globals';
import {
  type ConsumerFault,
  deadLetterFactsOf,
  deadLetterTopicOf,
  type EventLog,
  type LogRecord,
  PoisonRecord,
} from '@action-ledger/event-log';
import {
  createGate,
  events,
  follow,
  names,
  quick,
  revisionsByStream,
  streams,
  streamsIn,
  totalLag,
  turns,
  type WithLog,
} from './log-harness.ts';

export function failingContract(withLog: WithLog): void {
  describe('a handler that throws', () => {
    it(
      'gets the same records again, nothing behind them before, and each failure is told',
      withLog(async (log, { feed }) => {
        await feed(['s-a', 's-a']);
        const error = new Error('not yet');
        let failures = 0;
        const seen = await follow(log, {
          batchMax: 1,
          handle: async () => {
            if (failures === 2) return;
            failures += 1;
            throw error;
          },
        });
        await seen.untilHandled(2);
        expect(names(seen.delivered)).toEqual(['s-a:0', 's-a:0', 's-a:0', 's-a:1']);
        expect(seen.deliveries.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 1]);
        const [record] = seen.delivered;
        const told = { kind: 'handler', topic: events, error, offset: record?.offset };
        expect(seen.faults).toMatchObject([
          { ...told, attempt: 1 },
          { ...told, attempt: 2 },
        ]);
      }),
    );

    it(
      'is given longer and longer pauses, up to a bound',
      withLog(async (log, { feed }) => {
        await feed(['s-a']);
        let failures = 0;
        const seen = await follow(log, {
          retry: { triesMax: 9, pauseMinMs: 1, pauseMaxMs: 5 },
          handle: async () => {
            failures += 1;
            if (failures <= 5) throw new Error('not yet');
          },
        });
        await seen.untilHandled(1);
        expect(seen.faults.map(pauseOf)).toEqual([1, 2, 4, 5, 5]);
      }),
    );

    it(
      'does not hold up other partitions',
      withLog(async (log, { feed }) => {
        let failing: number | undefined;
        const seen = await follow(log, {
          retry: { ...quick, pauseMinMs: 60_000, pauseMaxMs: 60_000 },
          handle: async (_records, { partition }) => {
            failing ??= partition;
            if (partition === failing) throw new Error('never');
          },
        });
        const many = streams('s', 40);
        await feed(many);
        await seen.until(() => failing !== undefined);
        const there = await streamsIn(log, failing, 40);
        await seen.untilHandled(40 - there);
        expect(seen.faults).toHaveLength(1);
        expect(seen.handled.every(({ partition }) => partition !== failing)).toBe(true);
        await seen.close();
        expect(await totalLag(log)).toBeGreaterThan(0);
      }),
    );
  });

  describe('a record that cannot be handled', () => {
    it(
      'becomes a dead letter after its tries, with its reason, and the partition goes on',
      withLog(async (log, { feed }) => {
        await feed(['s-a', 's-a', 's-a']);
        const seen = await follow(log, {
          handle: async (records) => {
            if (names(records).includes('s-a:1')) throw new Error('no such tool: refnd');
          },
        });
        await seen.until(() => names(seen.handled).includes('s-a:2'));
        expect(names(seen.handled)).toEqual(['s-a:0', 's-a:2']);
        const bad = seen.delivered.find((record) => names([record])[0] === 's-a:1');
        // Once in the batch, then alone.
        expect(names(seen.delivered).filter((name) => name === 's-a:1')).toHaveLength(
          1 + quick.triesMax,
        );
        expect(seen.faults.at(-1)).toMatchObject({
          kind: 'dead letter',
          reason: 'no such tool: refnd',
          tries: quick.triesMax,
          record: { partition: bad?.partition, offset: bad?.offset },
        });
        const letter = await onlyDeadLetter(log);
        expect(letter).toMatchObject({ key: bad?.key, headers: bad?.headers });
        expect(bytes(letter)).toEqual(bytes(bad));
        expect(deadLetterFactsOf(letter)).toEqual({
          topic: events,
          partition: bad?.partition,
          offset: bad?.offset,
          group: 'group',
          reason: 'no such tool: refnd',
          tries: quick.triesMax,
        });
      }),
    );

    it(
      'is not given again once it is a dead letter',
      withLog(async (log, { feed, reopen }) => {
        await feed(['s-a']);
        const poison: () => Promise<void> = () => Promise.reject(new PoisonRecord('no'));
        const first = await follow(log, { handle: poison });
        await first.until(() => first.faults.length === 1);
        await first.close();
        expect(await totalLag(log)).toBe(0);
        const reopened = await reopen();
        await onlyDeadLetter(reopened);
        await feed(['s-a']);
        const second = await follow(reopened);
        await second.untilHandled(1);
        expect(names(second.delivered)).toEqual(['s-a:1']);
        await reopened.close();
      }),
    );

    it(
      'is put aside at once where the handler says that no try can help',
      withLog(async (log, { feed }) => {
        await feed(['s-a', 's-b', 's-a']);
        const seen = await follow(log, {
          retry: { ...quick, pauseMinMs: 60_000, pauseMaxMs: 60_000 },
          handle: async (records) => {
            if (names(records).includes('s-a:0')) throw new PoisonRecord('truncated');
          },
        });
        await seen.until(() => seen.handled.length === 2 && seen.faults.length === 1);
        expect([...names(seen.handled)].sort()).toEqual(['s-a:1', 's-b:0']);
        expect(seen.faults).toMatchObject([{ kind: 'dead letter', reason: 'truncated', tries: 1 }]);
        expect(deadLetterFactsOf(await onlyDeadLetter(log))?.reason).toBe('truncated');
      }),
    );

    it(
      'is put aside by name while the rest of its batch is handled, once the call resolves',
      withLog(async (log, { feed }) => {
        await feed(['s-a', 's-a', 's-a']);
        let failures = 0;
        const seen = await follow(log, {
          handle: async (records, { putAside }) => {
            const [bad] = records.filter((record) => names([record])[0] === 's-a:1');
            if (bad !== undefined)
              putAside(bad, new PoisonRecord('secret', { withoutValue: true }));
            failures += 1;
            // What was said in a call that fails was not said.
            if (failures === 1) throw Object.assign(new Error('away'), { retry: 'safe' });
          },
        });
        await seen.until(() => seen.faults.length === 2);
        expect(seen.faults[1]).toMatchObject({ kind: 'dead letter', reason: 'secret' });
        const letter = await onlyDeadLetter(log);
        expect(letter.value?.length ?? 0).toBe(0);
        expect(deadLetterFactsOf(letter)?.reason).toBe('secret');
        await seen.untilHandled(3);
        expect(revisionsByStream(seen.handled).get('s-a')).toEqual([0, 1, 2]);
        await seen.close();
        expect(await totalLag(log)).toBe(0);
      }),
    );

    it(
      'takes no other record of its batch with it',
      withLog(async (log, { feed }) => {
        await feed(Array.from({ length: 30 }, () => 's-a'));
        const seen = await follow(log, {
          handle: async (records) => {
            if (names(records).some((name) => name === 's-a:7' || name === 's-a:19')) {
              throw new Error('bad');
            }
          },
        });
        await seen.untilHandled(28);
        const handled = revisionsByStream(seen.handled).get('s-a');
        const sound = Array.from({ length: 30 }, (_, index) => index);
        expect(handled).toEqual(sound.filter((index) => index !== 7 && index !== 19));
        expect(seen.faults.filter(({ kind }) => kind === 'dead letter')).toHaveLength(2);
      }),
    );

    it(
      'keeps nothing that was handled before it from being committed',
      withLog(async (log, { feed }) => {
        await feed(['s-a', 's-a', 's-a']);
        const first = await follow(log, {
          handle: async (records) => {
            if (names(records).includes('s-a:2')) throw new Error('bad');
          },
          retry: { triesMax: 9, pauseMinMs: 1, pauseMaxMs: 5 },
        });
        await first.until(() => names(first.handled).includes('s-a:1'));
        await first.until(() => first.deliveries.at(-1)?.attempt === 3);
        await first.close();
        const next = await follow(log);
        await next.untilHandled(1);
        expect(names(next.delivered)).toEqual(['s-a:2']);
      }),
    );

    it(
      'stays where it is when even its dead letter cannot be handled',
      withLog(async (log, { feed }) => {
        await feed(['s-a']);
        const poison: () => Promise<void> = () => Promise.reject(new PoisonRecord('no'));
        const topics = [deadLetterTopicOf(events)];
        const reader = await follow(log, { group: 'reader', topics, handle: poison });
        await turns();
        await follow(log, { handle: poison });
        await reader.until(() => reader.faults.length === 1);
        expect(reader.faults).toMatchObject([{ kind: 'dead letter' }]);
        await reader.close();
        await onlyDeadLetter(log);
      }),
    );
  });

  describe('an outage', () => {
    it.each(['safe', 'unsafe'])(
      'of retry %s is tried until it is over, and puts nothing aside',
      (retry) =>
        withLog(async (log, { feed }) => {
          await feed(['s-a', 's-a']);
          let failures = 0;
          const seen = await follow(log, {
            batchMax: 1,
            handle: async () => {
              failures += 1;
              const error = Object.assign(new Error('the store is away'), { retry });
              if (failures <= 3 * quick.triesMax) throw error;
            },
          });
          await seen.untilHandled(2);
          expect(seen.faults.map(({ kind }) => kind)).toEqual(
            Array.from({ length: 3 * quick.triesMax }, () => 'handler'),
          );
        })(),
    );
  });

  describe('listeners that throw', () => {
    it(
      'change nothing',
      withLog(async (log, { feed }) => {
        await feed(['s-a']);
        let failures = 0;
        const broken = (): never => {
          throw new Error('listener');
        };
        const seen = await follow(log, {
          onAssigned: broken,
          onRevoked: broken,
          onFault: broken,
          handle: async () => {
            failures += 1;
            if (failures === 1) throw new Error('not yet');
          },
        });
        await seen.untilHandled(1);
        await seen.close();
        expect(seen.notices).toEqual(['assigned 1', 'revoked 1']);
      }),
    );
  });

  describe('pausing', () => {
    it(
      'calls no handler, keeps the partitions, and goes on where it was',
      withLog(async (log, { feed }) => {
        await feed(['s-a']);
        const seen = await follow(log);
        await seen.untilHandled(1);
        seen.pause();
        const held = seen.assignment();
        await feed(['s-a', 's-b']);
        const other = await follow(log, { group: 'other' });
        await other.untilHandled(3);
        await turns();
        expect(seen.delivered).toHaveLength(1);
        expect(seen.assignment()).toEqual(held);
        seen.resume();
        await seen.untilHandled(3);
        expect(revisionsByStream(seen.delivered).get('s-a')).toEqual([0, 1]);
      }),
    );

    it(
      'lets a running handler end, and a batch that failed wait',
      withLog(async (log, { feed }) => {
        await feed(['s-a']);
        const gate = createGate();
        let failures = 0;
        const seen = await follow(log, {
          handle: async () => {
            failures += 1;
            if (failures > 1) return;
            await gate.opened;
            throw new Error('once');
          },
        });
        await seen.until(() => seen.delivered.length === 1);
        seen.pause();
        gate.open();
        await seen.until(() => seen.faults.length === 1);
        await turns(50);
        expect(seen.delivered).toHaveLength(1);
        seen.resume();
        await seen.untilHandled(1);
      }),
    );
  });
}

function pauseOf(fault: ConsumerFault): number | undefined {
  return fault.kind === 'handler' ? fault.againInMs : undefined;
}

async function onlyDeadLetter(log: EventLog): Promise<LogRecord> {
  const topics = [deadLetterTopicOf(events)];
  const group = `letters-${groups++}`;
  const seen = await follow(log, { group, topics });
  await seen.untilHandled(1);
  await turns();
  await seen.close();
  expect(seen.delivered).toHaveLength(1);
  const [letter] = seen.delivered;
  if (letter === undefined) throw new Error('There is a dead letter.');
  return letter;
}

let groups = 0;

function bytes(record: LogRecord | undefined): readonly number[] {
  return [...(record?.value ?? [])];
}
