import { describe, expect, it } from '@jest/globals';
import { type Action } from '@action-ledger/domain';
import { createToolSet } from '@action-ledger/tools';
import { noCallerTools } from '../callers/built-tools.ts';
import { undoOf } from './undo-of.ts';

describe('what would undo a step', () => {
  it('is not computed from an archived action of which only a part is kept', () => {
    const step = {
      tool: 'create users',
      compensation: { kind: 'tool', tool: 'delete users', arguments: { ids: 'arguments.ids' } },
    } as unknown as Parameters<typeof undoOf>[1];
    const action = {
      arguments: { ids: ['u-1'] },
      archived: { cut: ['arguments'] },
    } as unknown as Action;
    const parts = { tools: createToolSet([]), callerTools: noCallerTools };
    expect(undoOf(parts, step, action).undoFault).toContain('only a part of it is kept');
    const whole = { ...action, archived: { cut: [] } } as unknown as Action;
    expect(undoOf(parts, step, whole).undoFault).not.toContain('only a part');
  });
});
