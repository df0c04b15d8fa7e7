import { describe, expect, it } from '@jest/globals';
import { fold } from '../../test-support/given.ts';
import { forcedFailed, inStatus, resent } from '../../test-support/samples.ts';
import { doubtful, isEnded, isInDoubt, isOpen } from './state.ts';
import { actionStatuses } from './transitions.ts';

const those = (hold: (status: (typeof actionStatuses)[number]) => boolean) =>
  actionStatuses.filter(hold);

describe('an action', () => {
  it('is open while something has to happen to it', () => {
    expect(those((status) => isOpen(fold(inStatus[status])))).toEqual([
      'planned',
      'awaiting_approval',
      'ready',
      'claimed',
      'dispatched',
      'unknown',
      'compensating',
    ]);
  });

  it('has ended where nothing was done, as far as is known', () => {
    expect(those((status) => isEnded(fold(inStatus[status])))).toEqual([
      'failed',
      'denied',
      'rejected',
      'expired',
      'cancelled',
    ]);
  });

  it('is in doubt with an attempt that runs or has not been settled', () => {
    expect(those((status) => isInDoubt(fold(inStatus[status])))).toEqual([
      'dispatched',
      'unknown',
      'superseded',
    ]);
    expect(isInDoubt(fold(forcedFailed))).toBe(true);
    expect(doubtful(fold(resent)).map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(doubtful(fold(inStatus.succeeded))).toEqual([]);
  });
});
