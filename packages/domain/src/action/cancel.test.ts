import { describe, expect, it } from '@jest/globals';
import { given } from '../../test-support/given.ts';
import {
  busy,
  cancel,
  claim,
  day,
  dispatch,
  done,
  endClaim,
  event,
  hour,
  inStatus,
  minute,
  notSent,
  plan,
  planAction,
  record,
  refused,
  resent,
  rulesFor,
  start,
  timeout,
  verdict,
  watchedFor,
} from '../../test-support/samples.ts';

const requested = { type: 'CancelRequested', data: { by: 'pat', person: true } } as const;

describe('a cancel', () => {
  it.each(['planned', 'awaiting_approval', 'ready', 'claimed'] as const)(
    'in %s ends the action without effect',
    (status) => {
      const { action } = given(...inStatus[status])
        .when(cancel())
        .then({ type: 'ActionCancelled', data: { by: 'pat', person: true } })
        .thenIs('cancelled');
      expect(action.ending).toMatchObject({ stands: true, by: 'pat' });
      expect(action.claim).toBeUndefined();
    },
  );

  it('F123 takes the claim away from its holder', () => {
    given(...inStatus.claimed)
      .when(cancel())
      .when(dispatch({ claim: 1 }))
      .thenRefused('action.claim-lost');
  });

  it.each(['dispatched', 'unknown'] as const)('in %s is kept', (status) => {
    given(...inStatus[status])
      .when(cancel())
      .then(requested)
      .thenIs(status);
  });

  it('FW31 in doubt: nothing is sent after it, and proven absence ends in cancelled', () => {
    given(...inStatus.unknown)
      .when(cancel())
      .when(claim({ watched: watchedFor(hour) }))
      .thenRefused('action.in-doubt')
      .when(verdict('absent', { watched: watchedFor(hour) }))
      .then('ActionReconciled', { type: 'ActionCancelled', data: { by: 'pat', person: true } })
      .thenIs('cancelled');
  });

  it('FW31 between a claim in doubt and its dispatch stops the dispatch', () => {
    given(...resent.slice(0, -1))
      .when(cancel())
      .then(requested)
      .thenIs('claimed')
      .when(dispatch())
      .thenRefused('action.in-doubt')
      .when(endClaim())
      .thenIs('unknown');
  });

  it('FW31 while the attempt runs ends the action when the attempt had no effect', () => {
    for (const outcome of [refused, busy, notSent]) {
      given(...inStatus.dispatched)
        .when(cancel())
        .when(record(outcome))
        .thenIs('cancelled');
    }
    given(...inStatus.dispatched)
      .when(cancel())
      .when(record(done))
      .thenIs('succeeded');
    given(...inStatus.dispatched)
      .when(cancel())
      .when(record(timeout))
      .thenIs('unknown');
  });

  it('of an absolute write in doubt stops its resend too', () => {
    given(event('ActionPlanned', { guarantee: 'natural' }), ...inStatus.unknown.slice(1))
      .when(cancel())
      .when(claim({ rules: rulesFor('natural'), watched: watchedFor(hour) }))
      .thenRefused('action.in-doubt');
  });

  it('twice is recorded once; a person’s wish counts for more than the system’s', () => {
    given(...inStatus.unknown)
      .when(cancel({ person: false, by: 'ledger' }))
      .when(cancel({ person: false, by: 'sweep' }))
      .then()
      .when(cancel())
      .then(requested)
      .when(cancel({ by: 'ann' }))
      .then()
      .when(verdict('absent', { watched: watchedFor(hour) }))
      .then('ActionReconciled', { type: 'ActionCancelled', data: { by: 'pat', person: true } });
    given(...inStatus.cancelled)
      .when(cancel())
      .then()
      .thenIs('cancelled');
  });

  it('FW27 from a stale page is refused', () => {
    const { decision } = given(...inStatus.claimed)
      .when(cancel({ revisionSeen: 0 }))
      .thenRefused('action.stale-revision');
    expect(decision).toMatchObject({ detail: { seen: 0, revision: 1, status: 'claimed' } });
    given(...inStatus.claimed)
      .when(cancel({ revisionSeen: 1 }))
      .thenIs('cancelled');
  });

  it('by the system does not stand against a new call', () => {
    const { action } = given(...inStatus.ready).when(cancel({ person: false, by: 'ledger' }));
    expect(action.ending?.stands).toBe(false);
  });
});

describe('F059 an edit', () => {
  it('replaces what has not been sent, once', () => {
    const { action } = given(...inStatus.awaiting_approval)
      .when(cancel({ supersededBy: 'next' }))
      .then({ type: 'ActionCancelled', data: { supersededBy: 'next' } })
      .when(cancel({ supersededBy: 'next' }))
      .then()
      .when(cancel({ supersededBy: 'another' }))
      .thenRefused('action.status');
    expect(action).toMatchObject({ supersededBy: 'next', ending: { stands: false } });
  });

  it('keeps what it makes of the arguments, for whoever creates the other action', () => {
    const edited = { amount: 10 };
    const { action } = given(...inStatus.planned)
      .when(cancel({ supersededBy: 'next', edited }))
      .then({ type: 'ActionCancelled', data: { supersededBy: 'next', edited } });
    expect(action.edited).toEqual(edited);
    const editOf = { action: 'first', reason: 'too much', by: 'ann' };
    expect(given(event('ActionPlanned', { editOf })).action.editOf).toBe('first');
  });

  it.each(['dispatched', 'unknown'] as const)('cannot replace what is %s', (status) => {
    given(...inStatus[status])
      .when(cancel({ supersededBy: 'next' }))
      .thenRefused('action.in-doubt')
      .thenIs(status);
  });
});

describe('FW28 age', () => {
  it.each([
    ['planned', given(...inStatus.planned)],
    ['ready', given(...inStatus.ready)],
    ['retrying', given(...inStatus.dispatched).when(record(busy))],
  ])('ends a %s action, no sooner than its validity', (_name, story) => {
    story
      .wait(day - 1)
      .when({ type: 'Expire' })
      .thenRefused('action.not-due');
    story.wait(day).when({ type: 'Expire' }).then('ActionExpired').thenIs('expired');
  });

  it('ends a vote that nobody decided, and an action whose vote outlasts its validity', () => {
    const story = given(...inStatus.awaiting_approval);
    story
      .wait(hour - 1)
      .when({ type: 'Expire' })
      .thenRefused('action.not-due');
    story.wait(hour).when({ type: 'Expire' }).thenIs('expired');
    given(event('ActionPlanned'), event('ApprovalRequested', { expiresAt: start + 2 * day }))
      .wait(day)
      .when({ type: 'Expire' })
      .thenIs('expired');
  });

  it('lets nothing be claimed or sent', () => {
    given(...inStatus.ready)
      .wait(day)
      .when(claim())
      .thenRefused('action.expired');
    given(event('ActionPlanned'), event('ActionClaimed', { leaseUntil: start + 2 * day }))
      .wait(day)
      .when(dispatch())
      .thenRefused('action.expired');
  });

  it('in doubt never ends the action: nothing is sent, and it stays unknown', () => {
    given(...inStatus.unknown)
      .wait(day)
      .when({ type: 'Expire' })
      .thenRefused('action.status')
      .when(
        claim({
          rules: rulesFor('idempotent', { keyWindowMs: 9 * day }),
          watched: watchedFor(day),
        }),
      )
      .thenRefused('action.in-doubt')
      .when(verdict('absent', { watched: watchedFor(day) }))
      .then('ActionReconciled', 'ActionExpired')
      .thenIs('expired');
  });

  it('expired twice is expired once', () => {
    given(...inStatus.expired)
      .when({ type: 'Expire' })
      .then();
  });

  it('counts from the proposal, also through an approval', () => {
    given()
      .when(planAction({ plan, approval: { votes: 1, ownVote: false, expiresAfterMs: minute } }))
      .wait(minute)
      .when({ type: 'Expire' })
      .thenIs('expired');
  });
});
