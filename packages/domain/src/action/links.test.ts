import { describe, expect, it } from '@jest/globals';
import { given } from '../../test-support/given.ts';
import { event, inStatus, plannedFor, report, start, day } from '../../test-support/samples.ts';
import { isSameCall, joinedCallsMax } from './links.ts';

const call = { run: 'r-1', turn: '2', call: 'c-2' };

describe('a call that joins', () => {
  it('is recorded once', () => {
    const { action } = given(...inStatus.succeeded)
      .when({ type: 'JoinCalls', calls: [call] })
      .then({ type: 'CallJoined', data: { call } })
      .when({ type: 'JoinCalls', calls: [call] })
      .then();
    expect(action.calls).toHaveLength(2);
  });

  it('without a call id is a redelivery, and no new call', () => {
    given(...inStatus.succeeded)
      .when({ type: 'JoinCalls', calls: [{ run: 'r-1' }] })
      .then();
  });

  it('is recorded up to a bound', () => {
    const joins = Array.from({ length: joinedCallsMax }, (_, index) =>
      event('CallJoined', { call: { ...call, call: `c-${index + 10}` } }),
    );
    given(...inStatus.succeeded, ...joins)
      .when({ type: 'JoinCalls', calls: [call] })
      .thenRefused('action.joins-full');
    given(...inStatus.succeeded, ...joins.slice(1))
      .when({ type: 'JoinCalls', calls: [call] })
      .then('CallJoined');
  });

  it('is the same by run, turn and call id', () => {
    expect(isSameCall(call, { ...call, conversation: 'x' })).toBe(true);
    for (const member of ['run', 'turn', 'call'] as const) {
      expect(isSameCall(call, { ...call, [member]: 'other' })).toBe(false);
    }
    expect(isSameCall({ run: 'r-1' }, { run: 'r-1' })).toBe(false);
  });
});

describe('FW26 undoing', () => {
  it('marks a success, once, by whoever came first', () => {
    const { action } = given(...inStatus.succeeded)
      .when({ type: 'MarkUndone', by: 'undoer' })
      .then({ type: 'ActionUndone', data: { by: 'undoer' } })
      .thenIs('succeeded')
      .when({ type: 'MarkUndone', by: 'another' })
      .then();
    expect(action).toMatchObject({ undoneBy: 'undoer', undoneAt: start });
  });

  it('marks nothing that has no effect', () => {
    for (const status of ['ready', 'unknown', 'failed', 'compensated'] as const) {
      given(...inStatus[status])
        .when({ type: 'MarkUndone', by: 'undoer' })
        .thenRefused('action.status');
    }
  });
});

describe('FW23 superseding an absolute write', () => {
  const natural = (status: 'unknown' | 'planned' | 'awaiting_approval' | 'ready' | 'claimed') =>
    given(plannedFor('natural'), ...inStatus[status].slice(1));

  it('in doubt ends it with its doubt on record', () => {
    const { action } = natural('unknown')
      .when({ type: 'Supersede', by: 'next' })
      .then({ type: 'ActionSuperseded', data: { by: 'next' } })
      .thenIs('superseded')
      .when({ type: 'Supersede', by: 'next' })
      .then();
    expect(action).toMatchObject({ supersededBy: 'next', attempts: [{ state: 'in doubt' }] });
    expect(action.watch).toBeUndefined();
  });

  it.each(['awaiting_approval', 'ready'] as const)(
    'that has not been sent (%s) cancels it',
    (status) => {
      const { action } = natural(status)
        .when({ type: 'Supersede', by: 'next' })
        .then({ type: 'ActionCancelled', data: { person: false, supersededBy: 'next' } });
      expect(action.ending?.stands).toBe(false);
    },
  );

  it('is refused while it is being sent, and for any other guarantee', () => {
    natural('claimed').when({ type: 'Supersede', by: 'next' }).thenRefused('action.status');
    given(...inStatus.unknown)
      .when({ type: 'Supersede', by: 'next' })
      .thenRefused('action.status');
  });
});

describe('compensation', () => {
  const planned = given(...inStatus.compensating);
  const ended = (succeeded: boolean, by = 'undo-1') =>
    ({ type: 'RecordCompensation', by, succeeded, reason: 'declined' }) as const;

  it('FW10 is planned once for one compensating action', () => {
    given(...inStatus.succeeded)
      .when({ type: 'PlanCompensation', by: 'undo-1' })
      .then({ type: 'CompensationPlanned', data: { by: 'undo-1' } })
      .thenIs('compensating')
      .when({ type: 'PlanCompensation', by: 'undo-1' })
      .then()
      .when({ type: 'PlanCompensation', by: 'undo-2' })
      .thenRefused('action.status');
  });

  it('is planned for a success only, and not for one that is undone', () => {
    given(...inStatus.unknown)
      .when({ type: 'PlanCompensation', by: 'undo-1' })
      .thenRefused('action.status');
    given(...inStatus.succeeded, event('ActionUndone'))
      .when({ type: 'PlanCompensation', by: 'undo-1' })
      .thenRefused('action.status');
  });

  it('ends the action compensated, told once', () => {
    const { action } = planned
      .when({ type: 'AssignOwner', owner: 'operator', nextCheckAt: start, reason: 'in doubt' })
      .when(ended(true))
      .then('ActionCompensated')
      .thenIs('compensated')
      .when(ended(true))
      .then();
    expect(action.undoneAt).toBe(start);
    expect(action.watch).toBeUndefined();
  });

  it('that fails has an owner and a next check, and may be tried again by another action', () => {
    planned
      .when(ended(false))
      .then({ type: 'CompensationFailed', data: { owner: 'operator', nextCheckAt: start + day } })
      .thenIs('compensation_failed')
      .when(ended(false))
      .then()
      .when({ type: 'PlanCompensation', by: 'undo-2' })
      .thenIs('compensating')
      .when(ended(true, 'undo-2'))
      .thenIs('compensated');
  });

  it('that failed and turns out done after all is compensated, late', () => {
    const { action } = planned.when(ended(false)).when(ended(true)).thenIs('compensated');
    expect(action.watch).toBeUndefined();
    planned.when(ended(true)).when(ended(false)).thenRefused('action.status');
  });

  it('is told by the compensating action only', () => {
    planned.when(ended(true, 'undo-2')).thenRefused('action.status');
  });

  it('keeps the outcome, whatever is reported late', () => {
    const { action } = planned.when(report({ data: { refund: 'other' } })).thenIs('compensating');
    expect(action.outcome?.result).toEqual({ refund: 'r-77' });
  });
});
