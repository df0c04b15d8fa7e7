import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { refusal } from '@action-ledger/domain';
import { createMemoryEventStore } from '@action-ledger/event-store';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { createLedgerClock } from './ledger-clock.ts';
import { createRecordStream, type RecordStream } from './record-stream.ts';
import { verifyLedger } from './verify.ts';

const sha256 = (text: string): string => hash('sha256', text, 'base64url');

type Names = readonly string[];

function setUp(): {
  readonly store: ReturnType<typeof createMemoryEventStore>;
  readonly open: () => RecordStream<Names>;
} {
  const runtime = createVirtualRuntime();
  const store = createMemoryEventStore();
  const deps = { store, sha256, clock: createLedgerClock(runtime.clock), runtime };
  return {
    store,
    open: () =>
      createRecordStream<Names>(deps, {
        stream: 'names',
        initial: [],
        evolve: (names, { type, data, by }) =>
          type === 'Named' ? [...names, `${JSON.stringify(data['name'])} by ${by ?? '?'}`] : names,
      }),
  };
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

  it('appends nothing for an empty list or a refusal, and hands the refusal back', async () => {
    const { open, store } = setUp();
    const no = refusal('no', 'No.');
    expect(await open().change('ann', () => [])).toEqual({ kind: 'changed', state: [] });
    expect(await open().change('ann', () => no)).toBe(no);
    expect(await store.head()).toBe(0);
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
