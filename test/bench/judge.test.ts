import { describe, expect, it } from '@jest/globals';
import { type Told } from './contender.ts';
import { judge } from './judge.ts';

const clean = { doubled: 0, toldFailed: 0, lost: 0, open: 0 };

function judgeOne(told: Told | undefined, effects: number) {
  return judge(1, new Map(told === undefined ? [] : [[0, told]]), () => effects);
}

describe('judge', () => {
  it.each<[Told | undefined, number, Partial<typeof clean>]>([
    ['done', 1, {}],
    ['duplicate', 1, {}],
    ['failed', 0, {}],
    ['done', 3, { doubled: 2 }],
    ['failed', 1, { toldFailed: 1 }],
    ['failed', 2, { toldFailed: 1, doubled: 1 }],
    ['done', 0, { lost: 1 }],
    ['duplicate', 0, { lost: 1 }],
    [undefined, 1, { lost: 1 }],
    [undefined, 0, { lost: 1 }],
    ['being checked', 1, { open: 1 }],
    ['being checked', 0, { open: 1 }],
  ])('told %p with %i effects', (told, effects, verdict) => {
    expect(judgeOne(told, effects)).toEqual({ ...clean, ...verdict });
  });

  it('adds up over the payments', () => {
    const told = new Map<number, Told>([
      [0, 'done'],
      [1, 'failed'],
      [2, 'being checked'],
    ]);
    expect(judge(4, told, () => 2)).toEqual({ doubled: 4, toldFailed: 1, lost: 1, open: 1 });
  });
});
