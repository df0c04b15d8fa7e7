import { describe, expect, it } from '@jest/globals';
import { given, type Story } from '../../test-support/given.ts';
import {
  day,
  event,
  hour,
  inStatus,
  minute,
  report,
  start,
  vote,
} from '../../test-support/samples.ts';

const asking = (changes = {}): Story =>
  given(event('ActionPlanned'), event('ApprovalRequested', changes));

describe('a vote', () => {
  it('that completes the number carries the decision', () => {
    asking({ votes: 2 })
      .when(vote())
      .then({ type: 'ApprovalVoted', data: { voter: 'ann', vote: 'approve' } })
      .thenIs('awaiting_approval')
      .when(vote({ voter: 'bob', reason: 'checked' }))
      .then(
        { type: 'ApprovalVoted', data: { voter: 'bob', vote: 'approve', reason: 'checked' } },
        { type: 'ActionApproved', data: { voters: ['ann', 'bob'] } },
      )
      .thenIs('ready');
  });

  it('to reject decides at once, however many had approved', () => {
    asking({ votes: 3 })
      .when(vote())
      .when(vote({ voter: 'bob', vote: 'reject', reason: 'too much' }))
      .then('ApprovalVoted', { type: 'ActionRejected', data: { by: 'bob', reason: 'too much' } })
      .thenIs('rejected');
  });

  it('FW11 clicked twice counts once, before and after the decision', () => {
    asking({ votes: 2 })
      .when(vote())
      .when(vote())
      .then()
      .thenIs('awaiting_approval')
      .when(vote({ voter: 'bob' }))
      .thenIs('ready')
      .when(vote({ voter: 'bob' }))
      .thenRefused('action.approval-decided');
  });

  it('F049 that comes second learns who decided and when', () => {
    const { decision } = asking()
      .wait(minute)
      .when(vote())
      .wait(minute)
      .when(vote({ voter: 'bob', vote: 'reject' }))
      .thenRefused('action.approval-decided')
      .thenIs('ready');
    expect(decision).toMatchObject({
      message: 'Already decided: approved by ann.',
      detail: { as: 'approved', by: 'ann', at: start + minute },
    });
  });

  it('F045 to approve after a rejection changes nothing', () => {
    const { decision } = asking()
      .when(vote({ vote: 'reject' }))
      .when(vote({ voter: 'bob' }))
      .thenRefused('action.approval-decided')
      .thenIs('rejected');
    expect(decision).toMatchObject({ detail: { as: 'rejected', by: 'ann' } });
  });

  it('cannot be turned round by its voter', () => {
    asking({ votes: 2 })
      .when(vote())
      .when(vote({ vote: 'reject' }))
      .thenRefused('action.approval-voted')
      .thenIs('awaiting_approval');
  });

  it('on one’s own proposal is refused unless the tool allows it', () => {
    asking()
      .when(vote({ voter: 'pat' }))
      .thenRefused('action.approval-own-vote');
    asking({ ownVote: true })
      .when(vote({ voter: 'pat' }))
      .thenIs('ready');
  });

  it('F053 for other arguments than these is refused', () => {
    asking()
      .when(vote({ argumentsHash: 'hash-2' }))
      .thenRefused('action.approval-other-arguments');
  });

  it('FW11 F057 after its time is refused, and the expiry comes to light with it', () => {
    asking()
      .wait(hour - 1)
      .when(vote())
      .thenIs('ready');
    const { decision } = asking()
      .wait(hour)
      .when(vote())
      .thenRefused('action.expired', 'ActionExpired')
      .thenIs('expired')
      .when(vote({ voter: 'bob' }))
      .thenRefused('action.approval-decided');
    // Nobody who voted decided it.
    expect(decision).toMatchObject({ detail: { as: 'expired' } });
    expect(decision).not.toHaveProperty('detail.by');
  });

  it('after the validity of the proposal is refused like one after its time', () => {
    asking({ expiresAt: start + 2 * day })
      .wait(day)
      .when(vote())
      .thenRefused('action.expired', 'ActionExpired')
      .thenIs('expired');
  });

  it('needs a question', () => {
    given(...inStatus.ready)
      .when(vote())
      .thenRefused('action.status');
  });

  it('on what succeeded meanwhile learns that the question is closed', () => {
    const { decision } = asking().when(report()).thenIs('succeeded').when(vote());
    expect(decision).toMatchObject({ code: 'action.approval-decided', detail: { as: 'ended' } });
  });
});
