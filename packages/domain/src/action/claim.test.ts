import { describe, expect, it } from '@jest/globals';
import { given } from '../../test-support/given.ts';
import {
  allowed,
  cancel,
  claim,
  day,
  denied,
  dispatch,
  done,
  endClaim,
  event,
  extend,
  hour,
  inStatus,
  minute,
  plannedFor,
  recheck,
  record,
  resent,
  rulesFor,
  second,
  start,
  timeout,
  vote,
  watchedFor,
} from '../../test-support/samples.ts';
import { type Guarantee } from './tool-rules.ts';

const patient = watchedFor(hour);
const unknownFor = (guarantee: Guarantee): ReturnType<typeof given> =>
  given(plannedFor(guarantee), ...inStatus.unknown.slice(1));

describe('a claim', () => {
  it('leases a ready action; its revision is the fencing token', () => {
    const { action } = given(...inStatus.ready)
      .wait(second)
      .when(claim())
      .then({ type: 'ActionClaimed', data: { worker: 'w-2', leaseUntil: start + 41 * second } });
    expect(action.claim).toEqual({
      revision: 1,
      worker: 'w-2',
      leaseUntil: start + 41 * second,
      leaseMs: 40 * second,
      resend: false,
    });
  });

  it('F117 is held by one at a time', () => {
    given(...inStatus.ready)
      .when(claim())
      .when(claim({ worker: 'w-3' }))
      .thenRefused('action.status');
  });

  it('waits for the end of the undo window and of the backoff', () => {
    const planned = given(...inStatus.planned);
    planned
      .wait(minute - 1)
      .when(claim())
      .thenRefused('action.not-due');
    planned.wait(minute).when(claim()).thenIs('claimed');
  });

  it.each(['lookup', 'manual'] as const)(
    'in doubt is refused where the guarantee is %s',
    (guarantee) => {
      const { decision } = unknownFor(guarantee)
        .when(claim({ rules: rulesFor(guarantee), watched: patient }))
        .thenRefused('action.in-doubt');
      expect(decision).toMatchObject({ detail: { hindrance: 'guarantee' } });
    },
  );

  it('in doubt is refused where the tool was declared otherwise when the action was planned', () => {
    unknownFor('manual')
      .when(claim({ watched: patient }))
      .thenRefused('action.in-doubt');
    unknownFor('idempotent')
      .when(claim({ rules: rulesFor('lookup'), watched: patient }))
      .thenRefused('action.in-doubt');
  });

  it.each(['idempotent', 'natural'] as const)(
    'FW18 F043 in doubt waits for the in-flight bound by the judge’s own watch (%s)',
    (guarantee) => {
      const rules = rulesFor(guarantee);
      // FW24: what the wall clock says does not shorten the wait.
      const story = unknownFor(guarantee).wait(hour);
      story
        .when(claim({ rules, watched: watchedFor(minute - 1) }))
        .thenRefused('action.too-early')
        .thenIs('unknown');
      const { action } = story
        .when(claim({ rules, watched: watchedFor(minute) }))
        .thenIs('claimed');
      expect(action.claim?.resend).toBe(true);
    },
  );

  it('in doubt need not wait for an attempt that the provider answered', () => {
    given(...inStatus.dispatched.slice(0, 3), event('ActionOutcomeUnknown', { answered: true }))
      .when(claim())
      .thenIs('claimed');
  });

  it('is refused to a second resend while the first is in doubt as well', () => {
    given(...resent)
      .when(record(timeout))
      .when(claim({ watched: watchedFor(minute - 1) }))
      .thenRefused('action.too-early')
      .when(claim({ watched: watchedFor(minute) }))
      .thenIs('claimed');
  });
});

describe('FW19 F077 the key window', () => {
  // A day, less the in-flight bound and five minutes for the clocks.
  const last = day - minute - 5 * minute;
  const rules = rulesFor('idempotent', { validForMs: 9 * day });
  const unknown = given(
    event('ActionPlanned', { validUntil: start + 9 * day }),
    ...inStatus.unknown.slice(1),
  );

  it('ends resends by the wall clock', () => {
    const soon = watchedFor(minute);
    unknown
      .wait(last - 1)
      .when(claim({ rules, watched: soon }))
      .thenIs('claimed');
    const { decision } = unknown
      .wait(last)
      .when(claim({ rules, watched: soon }))
      .thenRefused('action.in-doubt');
    expect(decision).toMatchObject({ detail: { hindrance: 'key window' } });
  });

  it('ends resends by the monotonic clock, where that shows more time', () => {
    const of = (firstDispatchMs: number): object => ({
      rules,
      watched: { doubtMs: hour, firstDispatchMs },
    });
    unknown
      .wait(hour)
      .when(claim(of(last - 1)))
      .thenIs('claimed');
    unknown
      .wait(hour)
      .when(claim(of(last)))
      .thenRefused('action.in-doubt');
  });

  it('FW24 cannot be judged while the wall clock is behind', () => {
    const { decision } = unknown
      .when(claim({ rules, watched: patient, clockBehind: true }))
      .thenRefused('action.in-doubt');
    expect(decision).toMatchObject({ detail: { hindrance: 'clock' } });
    unknownFor('natural')
      .when(claim({ rules: rulesFor('natural'), watched: patient, clockBehind: true }))
      .thenIs('claimed');
  });

  it('is looked at once more at the dispatch', () => {
    const claimed = unknown.wait(last - 1).when(claim({ rules, watched: watchedFor(minute) }));
    claimed.when(dispatch({ rules })).thenIs('dispatched');
    claimed
      .wait(1)
      .when(dispatch({ rules }))
      .thenRefused('action.key-window-over')
      .thenIs('claimed');
  });

  it('does not touch a first dispatch, however late', () => {
    given(event('ActionPlanned', { validUntil: start + 9 * day }))
      .wait(25 * hour)
      .when(claim({ rules }))
      .when(dispatch({ rules }))
      .thenIs('dispatched');
  });
});

describe('extending a claim', () => {
  it('keeps it for longer, never for less', () => {
    given(...inStatus.dispatched)
      .wait(20 * second)
      .when(extend())
      .then({ type: 'ClaimExtended', data: { claim: 1, leaseUntil: start + minute } })
      .when(extend({ leaseMs: second }))
      .then({ type: 'ClaimExtended', data: { leaseUntil: start + minute } });
  });

  it('keeps it for no longer than it was claimed for, whatever is declared since', () => {
    const longer = extend({ leaseMs: hour });
    given(...inStatus.dispatched)
      .wait(20 * second)
      .when(longer)
      .then({ type: 'ClaimExtended', data: { leaseUntil: start + minute } })
      .wait(20 * second)
      .when(longer)
      .then({ type: 'ClaimExtended', data: { leaseUntil: start + 80 * second } });
  });

  it('FW12 F037 is refused to whoever does not hold it', () => {
    given(...resent)
      .when(extend({ claim: 1 }))
      .thenRefused('action.claim-lost');
    given(...inStatus.unknown)
      .when(extend({ claim: 1 }))
      .thenRefused('action.claim-lost');
  });

  it('does not revive an ended lease for a dispatch, but keeps a running attempt', () => {
    given(...inStatus.claimed)
      .wait(40 * second)
      .when(extend())
      .thenRefused('action.claim-lost');
    given(...inStatus.dispatched)
      .wait(40 * second)
      .when(extend())
      .then('ClaimExtended');
  });
});

describe('the end of a claim', () => {
  it('FW04 before any dispatch makes the action ready again', () => {
    const { action } = given(...inStatus.claimed)
      .when(endClaim())
      .then('ClaimEnded')
      .thenIs('ready');
    expect(action.claim).toBeUndefined();
  });

  it('in doubt leads to unknown with an owner, never to ready', () => {
    const { action } = given(...resent.slice(0, -1))
      .when(endClaim())
      .then({ type: 'ClaimEnded', data: { owner: 'reconciler', nextCheckAt: start + minute } })
      .thenIs('unknown');
    expect(action.attempts).toMatchObject([{ state: 'in doubt' }]);
  });

  it('is nobody’s but the holder’s, and not for a dispatched action', () => {
    given(...inStatus.claimed)
      .when(endClaim({ claim: 0 }))
      .thenRefused('action.claim-lost');
    given(...inStatus.dispatched)
      .when(endClaim())
      .thenRefused('action.status');
  });
});

describe('the check before dispatch', () => {
  const claimed = given(...inStatus.claimed);

  it('says nothing where nothing stands in the way', () => {
    claimed.when(recheck()).then().thenIs('claimed');
  });

  it('denies by the policy of now', () => {
    claimed
      .when(recheck({ policy: denied }))
      .then('ClaimEnded', 'ActionDenied')
      .thenIs('denied');
  });

  it('expires what has become too old', () => {
    given(event('ActionPlanned'), event('ActionClaimed', { leaseUntil: start + 2 * day }))
      .wait(day)
      .when(recheck())
      .then('ClaimEnded', 'ActionExpired')
      .thenIs('expired');
  });

  it('asks for the approval that is needed now', () => {
    claimed
      .when(recheck({ policy: { effect: 'ask', version: 'v2' } }))
      .then('ClaimEnded', { type: 'ApprovalRequested', data: { votes: 1, policyVersion: 'v2' } })
      .thenIs('awaiting_approval');
  });

  it('needs no second approval while the first is valid, also for a retry', () => {
    const approved = given(...inStatus.awaiting_approval)
      .when(vote())
      .when(claim());
    const approval = { votes: 1, ownVote: false, expiresAfterMs: hour };
    approved.when(recheck({ approval })).then();
    approved
      .wait(2 * hour)
      .when(recheck({ approval }))
      .then();
  });

  it('F063 asks again under another policy version, or where more votes are needed', () => {
    const approved = given(...inStatus.awaiting_approval)
      .when(vote())
      .when(claim());
    const approval = { votes: 1, ownVote: false, expiresAfterMs: hour };
    approved
      .when(recheck({ approval, policy: { ...allowed, version: 'v2' } }))
      .then('ClaimEnded', 'ApprovalRequested')
      .thenIs('awaiting_approval');
    const { action } = approved.when(recheck({ approval: { ...approval, votes: 2 } }));
    expect(action.approval).toMatchObject({ votesNeeded: 2, votes: [] });
  });

  it('in doubt leaves the action unknown: no policy ends it', () => {
    const doubtful = given(...resent.slice(0, -1));
    for (const policy of [denied, { effect: 'ask', version: 'v2' } as const]) {
      doubtful
        .when(recheck({ policy }))
        .then({ type: 'ClaimEnded', data: { owner: 'operator' } })
        .thenIs('unknown');
    }
    given(...resent.slice(0, -2), event('ActionClaimed', { leaseUntil: start + 2 * day }))
      .wait(day)
      .when(recheck())
      .then('ClaimEnded')
      .thenIs('unknown');
  });

  it('is for the holder of a claim that has not been used', () => {
    claimed.when(recheck({ claim: 9 })).thenRefused('action.claim-lost');
    given(...inStatus.dispatched)
      .when(recheck({ policy: denied }))
      .thenRefused('action.status');
  });
});

describe('a claim for a caller', () => {
  it('says so in the event and in the state, and is a claim like any other', () => {
    const { action } = given(...inStatus.ready)
      .when(claim({ worker: 'agent/p-1', caller: true }))
      .then({ type: 'ActionClaimed', data: { worker: 'agent/p-1', caller: true } });
    expect(action.claim).toMatchObject({ worker: 'agent/p-1', caller: true });
    const { action: own } = given(...inStatus.ready).when(claim());
    expect(own.claim).not.toHaveProperty('caller');
  });
});

describe('a dispatch', () => {
  it('is durable with attempt, key, deadline and in-flight bound', () => {
    const { action } = given(...inStatus.claimed)
      .when(dispatch({ undoes: ['other'] }))
      .then({
        type: 'ActionDispatched',
        data: {
          attempt: 1,
          downstreamKey: 'key-1',
          deadlineAt: start + 30 * second,
          inFlightMs: minute,
          undoes: ['other'],
        },
      });
    expect(action.attempts).toEqual([
      {
        attempt: 1,
        dispatchedAt: start,
        deadlineAt: start + 30 * second,
        inFlightMs: minute,
        state: 'running',
        answered: false,
        claim: 1,
        worker: 'w-1',
      },
    ]);
  });

  it('is refused once the lease has ended', () => {
    given(...inStatus.claimed)
      .wait(40 * second - 1)
      .when(dispatch())
      .thenIs('dispatched');
    given(...inStatus.claimed)
      .wait(40 * second)
      .when(dispatch())
      .thenRefused('action.claim-lost');
  });

  it('FW12 is refused to an older claim', () => {
    given(...inStatus.claimed)
      .when(endClaim())
      .when(claim({ worker: 'w-3' }))
      .when(dispatch({ claim: 1 }))
      .thenRefused('action.claim-lost');
  });

  it('happens once per claim', () => {
    given(...inStatus.dispatched)
      .when(dispatch())
      .thenRefused('action.status');
  });

  it('sends the same downstream key for every attempt', () => {
    given(...resent.slice(0, -1))
      .when(dispatch({ downstreamKey: 'formatted otherwise' }))
      .then({ type: 'ActionDispatched', data: { attempt: 2, downstreamKey: 'key-1' } });
  });

  it('of an action that was cancelled has no claim', () => {
    given(...inStatus.claimed)
      .when(cancel())
      .when(dispatch({ claim: 1 }))
      .thenRefused('action.claim-lost');
  });

  it('leads to an outcome', () => {
    given(...inStatus.claimed)
      .when(dispatch())
      .when(record(done))
      .thenIs('succeeded');
  });
});
