import { describe, expect, it } from '@jest/globals';
import { claimGone } from '@action-ledger/application';
import { type Action, type ActionEvent, newAction } from '@action-ledger/domain';
import { createLedgerCounts } from './ledger-counts.ts';

const action = (id: string, more: Partial<Action>): Action => ({ ...newAction(id), ...more });

function valueOf(counts: ReturnType<typeof createLedgerCounts>, name: string, nowMs = 0) {
  const family = counts.families(nowMs).find((each) => each.name === `action_ledger_${name}`);
  return family?.samples.map(({ labels = {}, value }) =>
    [...Object.values(labels), value].join(' '),
  );
}

describe('what a ledger counts', () => {
  it('has claims that nobody gave back, and none that were', () => {
    const counts = createLedgerCounts();
    const lost = { type: 'ActionOutcomeUnknown', data: { lost: true } };
    const told = { type: 'ActionOutcomeUnknown', data: {} };
    const gone = { type: 'ClaimEnded', data: { reason: claimGone.lease } };
    const given = { type: 'ClaimEnded', data: { reason: 'it may not be sent any more' } };
    const events = [lost, told, gone, given] as unknown as readonly ActionEvent[];
    expect(valueOf(counts, 'leases_ended_total')).toEqual(['0']);
    counts.watch.onMoved(action('a', {}), events);
    expect(valueOf(counts, 'leases_ended_total')).toEqual(['2']);
  });

  it('says how long votes are waited for, and which unknowns nobody looks after', () => {
    const counts = createLedgerCounts();
    counts.watch.onMoved(action('a', { status: 'awaiting_approval', plannedAt: 40_000 }), []);
    counts.watch.onMoved(action('b', { status: 'awaiting_approval', plannedAt: 10_000 }), []);
    counts.watch.onMoved(action('c', { status: 'unknown', unknownSince: 60_000 }), []);
    expect(valueOf(counts, 'approval_oldest_seconds', 70_000)).toEqual(['60']);
    expect(valueOf(counts, 'unknown_oldest_seconds', 70_000)).toEqual(['10']);
    expect(valueOf(counts, 'unknowns')).toEqual(['reconciler 0', 'operator 0', 'nobody 1']);
  });
});
