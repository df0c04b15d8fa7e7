// How much callers may declare, and what a change is counted as.
import { describe, expect, it } from '@jest/globals';
import { type JsonObject } from '@action-ledger/domain';
import {
  type AllDeclared,
  type DeclarationLimits,
  declarationLimits,
  declaredTools,
  sizeOf,
  tooMuch,
} from './declared-tools.ts';

const says = (text: string): JsonObject => ({ text });
const size = sizeOf(says('a'));

const folded = (...declared: readonly (readonly [string, string, string])[]): AllDeclared =>
  declared.reduce(
    (state, [tenant, tool, text], revision) =>
      declaredTools.evolve(state, {
        type: 'CallerToolDeclared',
        data: { tenant, tool, declaration: says(text) },
        at: 0,
        revision,
      }),
    declaredTools.copy?.(declaredTools.initial) ?? declaredTools.initial,
  );

const known = folded(['a', 'x', '1'], ['a', 'x', '2'], ['a', 'y', '1'], ['b', 'x', '1']);

const asked = (limits: Partial<DeclarationLimits>, tool: string, at = 0): string | undefined =>
  tooMuch(known, 'a', [{ tool, declaration: says('3') }], at, { ...declarationLimits, ...limits })
    ?.code;

const day = 24 * 3_600_000;

describe('what callers may declare', () => {
  it('is bounded by the tools of a tenant', () => {
    expect(asked({ toolsMax: 2 }, 'z')).toBe('tool.too-many');
    expect([asked({ toolsMax: 3 }, 'z'), asked({ toolsMax: 2 }, 'x')]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('is bounded by what the declarations of a tenant, and of all, are long', () => {
    expect(asked({ sizeMax: 3 * size - 1 }, 'z')).toBe('tool.too-many');
    expect(asked({ sizeOfAllMax: 4 * size - 1 }, 'z')).toBe('tool.too-many');
    expect(asked({ sizeMax: 3 * size, sizeOfAllMax: 4 * size }, 'z')).toBeUndefined();
    // What takes no more than before is taken, however full it is.
    expect(asked({ sizeMax: 2 * size, sizeOfAllMax: 0 }, 'x')).toBeUndefined();
  });

  it('is bounded by the changes of a day', () => {
    expect(asked({ changesMax: 2 }, 'x')).toBe('tool.too-often');
    expect([asked({ changesMax: 2 }, 'y'), asked({ changesMax: 2 }, 'x', day)]).toEqual([
      undefined,
      undefined,
    ]);
    expect(asked({ changedMax: 4 * size - 1 }, 'y')).toBe('tool.too-often');
    expect(asked({ changedMax: 4 * size }, 'y')).toBeUndefined();
    expect(asked({ changedMax: size }, 'y', day)).toBeUndefined();
  });

  it('of the same words is nothing', () => {
    const none = { toolsMax: 0, sizeMax: 0, sizeOfAllMax: 0, changesMax: 0, changedMax: 0 };
    expect(tooMuch(known, 'a', [], 0, none)).toBeUndefined();
  });
});
