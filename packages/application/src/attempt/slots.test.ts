import { describe, expect, it } from '@jest/globals';
import { callerDeclaration, callerTool, defineTool } from '@action-ledger/tools';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { z } from 'zod';
import { createSlots, type Slot, type SlotsOptions } from './slots.ts';

type Load = NonNullable<Parameters<typeof defineTool>[0]['load']>;

interface World {
  readonly advance: (ms: number) => Promise<void>;
  /** In the order in which they were woken, and after how many ms. */
  readonly woken: readonly (readonly [string, number])[];
  readonly take: (actionId: string, how?: How) => Slot;
  readonly release: (actionId: string) => void;
  readonly leave: (actionId: string) => void;
  /** Each of them was looked at. */
  readonly passOn: (...actionIds: readonly string[]) => void;
}

interface How {
  readonly account?: unknown;
  readonly tenant?: string;
  readonly isNew?: boolean;
  /** What the tenant's callers declare of it, in place of the ledger's own tool. */
  readonly declared?: Load;
}

function setUp(load: Load | undefined, options: Pick<SlotsOptions, 'slotsMax'> = {}): World {
  const runtime = createVirtualRuntime();
  const woken: (readonly [string, number])[] = [];
  const clock = { monoMs: () => runtime.clock.monoMs(), nowMs: () => runtime.clock.monoMs() };
  const due = {
    set: (actionId: string, at: number | undefined): void => {
      woken.push([actionId, (at ?? 0) - clock.nowMs()]);
    },
  };
  const slots = createSlots({ ...options, clock, due });
  const tool = paying(load, z.json());
  return {
    advance: (ms) => runtime.advance(ms),
    woken,
    take: (actionId, { account = actionId, tenant = 't', isNew = false, declared } = {}) =>
      slots.take({
        actionId,
        tenant,
        tool:
          declared === undefined ? tool : callerTool(callerDeclaration(paying(declared, z.any()))),
        arguments: { account: account as string },
        isNew,
      }),
    release: (actionId) => {
      slots.release(actionId);
    },
    leave: (actionId) => {
      slots.leave(actionId);
    },
    passOn: (...actionIds) => {
      for (const each of actionIds) slots.passOn(each);
    },
  };
}

function paying(load: Load | undefined, account: z.ZodType): ReturnType<typeof defineTool> {
  return defineTool({
    name: 'pay',
    input: z.object({ account }),
    guarantee: 'manual',
    ...(load === undefined ? {} : { load }),
    execute: () => null,
  });
}

describe('room for attempts', () => {
  it('is without end where nothing is declared', () => {
    const { take } = setUp(undefined);
    for (let each = 0; each < 1_000; each += 1) expect(take(`a-${each}`)).toBe('taken');
  });

  it('is so much of a tool at once; who waits is woken in order', () => {
    const { take, release, woken } = setUp({ concurrent: 2 });
    expect(['a', 'b', 'c', 'd'].map((each) => take(each))).toEqual([
      'taken',
      'taken',
      'full',
      'full',
    ]);
    expect(take('a')).toBe('held');
    release('b');
    release('b');
    expect(woken).toEqual([['c', 0]]);
    expect(take('c')).toBe('taken');
    release('a');
    release('c');
    expect(woken).toEqual([
      ['c', 0],
      ['d', 0],
    ]);
  });

  it('is not for one that comes now while others wait', () => {
    const { take, release } = setUp({ concurrent: 1 });
    take('a');
    take('b');
    take('c');
    release('a');
    expect(take('new', { isNew: true })).toBe('full');
    expect(take('b')).toBe('taken');
  });

  it('is given up by one that waits no longer', () => {
    const { take, release, woken } = setUp({ concurrent: 1 });
    take('a');
    take('gone');
    take('b');
    release('gone');
    release('a');
    expect(woken).toEqual([['b', 0]]);
  });

  it('goes to the next where who was woken takes none', () => {
    const { take, release, passOn, woken } = setUp({ concurrent: 2 });
    for (const each of ['a', 'b', 'c', 'd', 'e', 'f']) take(each);
    release('a');
    expect(woken.map(([name]) => name)).toEqual(['c']);
    passOn('c', 'c', 'never woken');
    expect(woken.map(([name]) => name)).toEqual(['c', 'd']);
    expect(take('d')).toBe('taken');
    passOn('d');
    expect(woken.map(([name]) => name)).toEqual(['c', 'd']);
  });

  it('is offered to no more than there is room for', () => {
    const { take, release, passOn, woken } = setUp({ concurrent: 3 });
    for (const each of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) take(each);
    for (const each of ['a', 'b', 'c']) release(each);
    expect(woken.map(([name]) => name)).toEqual(['d', 'e', 'f']);
    expect(['d', 'e', 'f'].map((each) => take(each))).toEqual(['taken', 'taken', 'taken']);
    release('d');
    passOn('g');
    expect(woken.map(([name]) => name)).toEqual(['d', 'e', 'f', 'g']);
  });

  it('is not offered to one that somebody else has', () => {
    const { take, release, leave, woken } = setUp({ concurrent: 1 });
    for (const each of ['a', 'b', 'c']) take(each);
    leave('b');
    release('a');
    expect(woken.map(([name]) => name)).toEqual(['c']);
  });

  it('is one for each declared entity of a tenant', () => {
    const { take, release, woken } = setUp({ oneAtATime: ['account'] });
    const of = (account: unknown, tenant = 't'): How => ({ account, tenant });
    expect(take('a', of({ bank: 'x', number: 1 }))).toBe('taken');
    expect(take('b', of({ number: 1, bank: 'x' }))).toBe('full');
    expect(take('c', of({ bank: 'x', number: 2 }))).toBe('taken');
    expect(take('d', of({ bank: 'x', number: 1 }, 'other'))).toBe('taken');
    release('a');
    expect(woken).toEqual([['b', 0]]);
  });

  it("is each tenant's own where callers declare the tool, and as they say last", () => {
    const { take, release } = setUp(undefined);
    const of = (tenant: string, concurrent: number): How => ({ tenant, declared: { concurrent } });
    expect([take('a', of('x', 1)), take('b', of('x', 1))]).toEqual(['taken', 'full']);
    expect([take('c', of('y', 2)), take('d', of('y', 2))]).toEqual(['taken', 'taken']);
    expect(take('e', of('y', 2))).toBe('full');
    expect(take('b', of('x', 2))).toBe('taken');
    release('b');
    expect(take('f', of('x', 1))).toBe('full');
  });

  it('is of the tool, whoever comes, where the ledger carries it out', () => {
    const { take } = setUp({ concurrent: 1 });
    expect([take('a', { tenant: 'x' }), take('b', { tenant: 'y' })]).toEqual(['taken', 'full']);
  });

  it('is so much of all tools together', () => {
    const { take, release } = setUp(undefined, { slotsMax: 1 });
    expect([take('a'), take('b')]).toEqual(['taken', 'full']);
    release('a');
    expect(take('b')).toBe('taken');
  });

  it('needs each of the limits, and takes none where one is full', () => {
    const { take, release } = setUp({ concurrent: 2, oneAtATime: ['account'] });
    take('a', { account: 'x' });
    expect(take('b', { account: 'x' })).toBe('full');
    expect(take('c', { account: 'y' })).toBe('taken');
    release('c');
    release('a');
    expect([take('b', { account: 'x' }), take('d', { account: 'z' })]).toEqual(['taken', 'taken']);
  });
});

describe('a rate', () => {
  it('lets so many a second through, each in its place', async () => {
    const { take, release, woken, advance } = setUp({ perSecond: 10 });
    const names = Array.from({ length: 14 }, (_, index) => `a-${index}`);
    const first = names.map((name) => take(name));
    expect(first.filter((slot) => slot === 'taken')).toHaveLength(10);
    expect(woken.map(([, ms]) => ms)).toEqual([100, 200, 300, 400]);
    for (const name of names.slice(0, 10)) release(name);
    await advance(100);
    expect(take('a-13')).toBe('full');
    expect(take('a-10')).toBe('taken');
    await advance(300);
    expect(['a-11', 'a-12', 'a-13'].map((name) => take(name))).toEqual(['taken', 'taken', 'taken']);
  });

  it('below one a second is one in that time', async () => {
    const { take, advance } = setUp({ perSecond: 0.5 });
    expect([take('a'), take('b')]).toEqual(['taken', 'full']);
    await advance(1_999);
    expect(take('b')).toBe('full');
    await advance(1);
    expect(take('b')).toBe('taken');
  });

  it("is each tenant's own where callers declare the tool", () => {
    const { take } = setUp(undefined);
    const of = (tenant: string, perSecond: number): How => ({ tenant, declared: { perSecond } });
    expect([take('a', of('x', 0.001)), take('b', of('x', 0.001))]).toEqual(['taken', 'full']);
    expect([take('c', of('y', 50)), take('d', of('y', 50))]).toEqual(['taken', 'taken']);
  });

  it('is of the tool, whoever comes, where the ledger carries it out', () => {
    const { take } = setUp({ perSecond: 1 });
    expect([take('a', { tenant: 'x' }), take('b', { tenant: 'y' })]).toEqual(['taken', 'full']);
  });

  it('is not used up by the time in which nothing came', async () => {
    const { take, advance } = setUp({ perSecond: 2 });
    await advance(60_000);
    expect(['a', 'b', 'c'].map((each) => take(each))).toEqual(['taken', 'taken', 'full']);
  });
});
