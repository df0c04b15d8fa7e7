import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { refusal } from '@action-ledger/domain';
import { createMemoryEventStore, type EventStore } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { createLedgerClock } from '../core/ledger-clock.ts';
import { createRecordStream, type DatedRecord, type RecordStream } from './record-stream.ts';
import { verifyLedger } from './verify.ts';

const sha256 = (text: string): string => hash('sha256', text, 'base64url');

type Names = readonly string[];

function setUp(): {
  readonly runtime: Runtime;
  readonly store: ReturnType<typeof createMemoryEventStore>;
  readonly open: () => RecordStream<Names>;
} {
  const runtime = createVirtualRuntime();
  const store = createMemoryEventStore();
  return { store, runtime, open: () => openNames({ store, runtime }) };
}

function openNames({ store, runtime }: NamesDeps): RecordStream<Names> {
  const deps = { store, sha256, clock: createLedgerClock(runtime.clock), runtime };
  return createRecordStream<Names>(deps, {
    stream: 'names',
    initial: [],
    evolve: (names, { type, data, by }) =>
      type === 'Named' ? [...names, `${JSON.stringify(data['name'])} by ${by ?? '?'}`] : names,
  });
}

interface NamesDeps {
  readonly store: EventStore;
  readonly runtime: Runtime;
}

const named = (name: string): { type: string; data: { name: string } } => ({
  type: 'Named',
  data: { name },
});

describe('a stream of records', () => {
  it('is folded from what was appended, with its author, by whoever reads it', async () => {
    const { open, store } = setUp();
    expect(await open().load()).toEqual([]);
    expect(await open().change('ann', () => [named('a'), named('b')])).toEqual({
      kind: 'changed',
      state: ['"a" by ann', '"b" by ann'],
    });
    await open().change('bob', () => [named('c')]);
    expect(await open().load()).toEqual(['"a" by ann', '"b" by ann', '"c" by bob']);
    expect(await verifyLedger(store, { sha256 })).toMatchObject({
      events: 3,
      brokenInvariants: [],
    });
  });

  it('has no record that is older than the one before it, wherever the clock has gone back to', async () => {
    const { store, runtime } = setUp();
    const at = async (nowMs: number): Promise<number> => {
      let seen = 0;
      const deps = { store, sha256, clock: { nowMs: () => nowMs }, runtime };
      const shape = {
        stream: 'times',
        initial: 0,
        evolve: (_: number, record: DatedRecord) => record.at,
      };
      const changed = await createRecordStream<number>(deps, shape).change('ann', (_, now) => {
        seen = now;
        return [named('x')];
      });
      expect(changed).toEqual({ kind: 'changed', state: seen });
      return seen;
    };
    expect([await at(2_000), await at(1_000), await at(3_000)]).toEqual([2_000, 2_000, 3_000]);
  });

  it('appends nothing for an empty list or a refusal, and hands the refusal back', async () => {
    const { open, store } = setUp();
    const no = refusal('no', 'No.');
    expect(await open().change('ann', () => [])).toEqual({ kind: 'changed', state: [] });
    expect(await open().change('ann', () => no)).toBe(no);
    expect(await store.head()).toBe(0);
  });

  it('is read on from where it was read to, and anew where that is not what it was', async () => {
    const { store } = setUp();
    const asked: number[] = [];
    let under = store;
    const counting = { ...store };
    counting.readStream = (stream, from = 0) => {
      asked.push(from);
      return under.readStream(stream, from);
    };
    counting.append = (...append) => under.append(...append);
    const runtime = createVirtualRuntime();
    const names = openNames({ store: counting, runtime });
    await names.change('ann', () => [named('a'), named('b')]);
    await names.load();
    await names.change('ann', () => [named('c')]);
    expect(await names.load()).toEqual(['"a" by ann', '"b" by ann', '"c" by ann']);
    await names.load();
    expect(asked).toEqual([0, 0, 1, 1, 2]);
    // A store of another history.
    const other = createMemoryEventStore();
    await openNames({ store: other, runtime }).change('bob', () => [named('x'), named('y')]);
    under = other;
    expect(await names.load()).toEqual(['"x" by bob', '"y" by bob']);
    const [first, last] = await other.readStream('names');
    const edited = last && { ...last, data: last.data.replace('y', 'z') };
    under = createMemoryEventStore({ events: first && edited ? [first, edited] : [] });
    await expect(names.load()).rejects.toMatchObject({ code: 'store.corrupt' });
  });

  it('decides again where another was faster: neither is lost, and each name is taken once', async () => {
    const { open } = setUp();
    const once =
      (name: string) =>
      (names: Names): readonly ReturnType<typeof named>[] =>
        names.some((each) => each.startsWith(`"${name}" `)) ? [] : [named(name)];
    await Promise.all(
      ['a', 'b', 'a', 'c', 'b', 'a'].map((name, index) =>
        open().change(`caller-${index}`, once(name)),
      ),
    );
    const names = (await open().load()).map((each) => each.slice(1, 2));
    expect([...names].sort()).toEqual(['a', 'b', 'c']);
  });
});
