import { describe, expect, it } from '@jest/globals';
import { given } from '../../test-support/given.ts';
import {
  busy,
  cancel,
  claim,
  day,
  dispatch,
  done,
  event,
  extend,
  hour,
  inStatus,
  lose,
  minute,
  notSent,
  plannedFor,
  record,
  refused,
  report,
  resent,
  rulesFor,
  second,
  settle,
  start,
  timeout,
  verdict,
  watchedFor,
} from '../../test-support/samples.ts';
import { joinedAtOnceMax } from './links.ts';
import { defaultRetry, type Guarantee } from './tool-rules.ts';

const dispatched = given(...inStatus.dispatched);
const sentTwice = given(...resent);
const once = { ...defaultRetry, attemptsMax: 1 };

describe('a success', () => {
  it('settles the action with what was recorded', () => {
    const { action } = dispatched
      .wait(second)
      .when(record({ ...done, digest: 'd', notes: ['cut'] }))
      .then({ type: 'ActionSucceeded', data: { attempt: 1, externalId: 'r-77' } })
      .thenIs('succeeded');
    expect(action).toMatchObject({
      outcome: { result: { refund: 'r-77' }, externalId: 'r-77', digest: 'd', at: start + second },
      attempts: [{ state: 'succeeded' }],
    });
    expect(action.claim).toBeUndefined();
  });

  it('of a resend explains every attempt: one effect, no doubt left', () => {
    const { action } = sentTwice.when(record(done)).thenIs('succeeded');
    expect(action.attempts.map(({ state }) => state)).toEqual(['succeeded', 'succeeded']);
    expect(action.watch).toBeUndefined();
  });

  it('with another external id than the one reported meanwhile is a duplicate effect', () => {
    dispatched
      .when(report({ externalId: 'r-76' }))
      .then('EvidenceRecorded')
      .when(record(done))
      .then('ActionSucceeded', {
        type: 'DuplicateEffectDetected',
        data: { externalIds: ['r-77', 'r-76'], owner: 'operator' },
      });
  });

  it('F094 that the provider had reported before the reply is one effect', () => {
    const reported = dispatched.when(report({ attempt: 1 })).thenIs('dispatched');
    expect(reported.action.attempts).toMatchObject([{ state: 'running' }]);
    reported.when(record(done)).then('ActionSucceeded');
  });

  it('is not doubled by what a refusal names', () => {
    dispatched
      .when(report({ claims: 'refusal', externalId: 'r-76' }))
      .when(record(done))
      .then('ActionSucceeded');
  });
});

describe('an attempt without effect', () => {
  it('fails the action where the refusal is final', () => {
    const { action } = dispatched
      .when(record({ ...refused, code: 'card_declined', detail: { hint: 'other card' } }))
      .then({
        type: 'ActionFailed',
        data: {
          attempt: 1,
          reason: 'declined',
          code: 'card_declined',
          detail: { hint: 'other card' },
        },
      })
      .thenIs('failed');
    expect(action.ending).toEqual({
      at: start,
      reason: 'declined',
      code: 'card_declined',
      detail: { hint: 'other card' },
      stands: false,
    });
  });

  it('is tried again after a backoff with full jitter', () => {
    dispatched
      .when(record(busy, { jitter: 0.5 }))
      .then({ type: 'RetryPlanned', data: { attempt: 1, reason: 'busy', notBefore: start + 250 } })
      .thenIs('ready')
      .wait(249)
      .when(claim())
      .thenRefused('action.not-due')
      .wait(1)
      .when(claim())
      .when(dispatch())
      .then({ type: 'ActionDispatched', data: { attempt: 2, downstreamKey: 'key-1' } });
  });

  it('honours Retry-After', () => {
    dispatched
      .when(record({ ...busy, retryAfterMs: 90 * second }))
      .then({ type: 'RetryPlanned', data: { notBefore: start + 90 * second } });
  });

  it('FW28 expires where the retry would come after its validity', () => {
    dispatched
      .when(record({ ...busy, retryAfterMs: day }))
      .then('RetryPlanned', 'ActionExpired')
      .thenIs('expired');
    dispatched.when(record({ ...busy, retryAfterMs: day - 1 })).thenIs('ready');
  });

  it('is tried so many times, then fails', () => {
    const rules = rulesFor('idempotent', { retry: { ...defaultRetry, attemptsMax: 2 } });
    dispatched
      .when(record(busy, { rules, jitter: 0 }))
      .when(claim({ rules }))
      .when(dispatch({ rules }))
      .when(record(busy, { rules }))
      .then({ type: 'ActionFailed', data: { attempt: 2, reason: 'busy' } })
      .thenIs('failed');
  });

  it.each(['idempotent', 'lookup', 'natural', 'manual'] as const)(
    'is retried whatever the guarantee: it is proven (%s)',
    (guarantee) => {
      given(plannedFor(guarantee), ...inStatus.dispatched.slice(1))
        .when(record(busy, { rules: rulesFor(guarantee) }))
        .thenIs('ready');
    },
  );
});

describe('FW21 FW30 a refusal while another attempt is in doubt', () => {
  it.each([refused, busy])('settles its own attempt only: %j', (outcome) => {
    const { action } = sentTwice
      .when(record(outcome))
      .then({ type: 'AttemptRefused', data: { attempt: 2, owner: 'reconciler' } })
      .thenIs('unknown');
    expect(action.attempts.map(({ state }) => state)).toEqual(['in doubt', 'no effect']);
    expect(action.unknownSince).toBe(start);
  });

  it('settles every attempt where the provider never had an effect for our key', () => {
    const never = { ...refused, neverHadEffect: true };
    const { action } = sentTwice
      .when(record(never))
      .then(
        'AttemptRefused',
        { type: 'ActionReconciled', data: { verdict: 'absent', by: 'attempt 2' } },
        { type: 'ActionFailed', data: { attempt: 2, reason: refused.reason } },
      )
      .thenIs('failed');
    expect(action.attempts.map(({ state }) => state)).toEqual(['no effect', 'no effect']);
    expect(action.watch).toBeUndefined();
    sentTwice
      .when(cancel())
      .when(record(never))
      .then('AttemptRefused', 'ActionReconciled', 'ActionCancelled')
      .thenIs('cancelled');
    sentTwice.when(record({ ...busy, neverHadEffect: true })).then('AttemptRefused');
    dispatched.when(record(never)).then('ActionFailed');
  });

  it('leaves the doubt to an operator where nothing else can settle it', () => {
    const rules = rulesFor('idempotent', { retry: { ...defaultRetry, attemptsMax: 2 } });
    sentTwice
      .when(record(refused, { rules }))
      .then({ type: 'AttemptRefused', data: { owner: 'operator', nextCheckAt: start + day } });
  });
});

describe('AttemptNotSent', () => {
  it('is a retryable no-effect', () => {
    const { action } = dispatched
      .when(record(notSent, { jitter: 0 }))
      .then({ type: 'AttemptNotSent', data: { attempt: 1, notBefore: start } })
      .thenIs('ready');
    expect(action.attempts).toMatchObject([{ state: 'no effect' }]);
  });

  it('counts as an attempt', () => {
    dispatched
      .when(record(notSent, { rules: rulesFor('idempotent', { retry: once }) }))
      .then('AttemptNotSent', 'ActionFailed')
      .thenIs('failed');
  });

  it('too late for another try expires', () => {
    dispatched
      .wait(day)
      .when(record(notSent))
      .then('AttemptNotSent', 'ActionExpired')
      .thenIs('expired');
  });

  it('while another attempt is in doubt leads back to unknown', () => {
    const { action } = sentTwice
      .when(record(notSent))
      .then({ type: 'AttemptNotSent', data: { attempt: 2, owner: 'reconciler' } })
      .thenIs('unknown');
    expect(action.attempts.map(({ state }) => state)).toEqual(['in doubt', 'no effect']);
  });
});

describe('an attempt in doubt', () => {
  const doubted = (guarantee: Guarantee, outcome = timeout, canLookUp = guarantee === 'lookup') =>
    given(plannedFor(guarantee), ...inStatus.dispatched.slice(1)).when(
      record(outcome, { rules: rulesFor(guarantee, { canLookUp }), jitter: 0 }),
    );

  it.each([
    ['idempotent', 'reconciler', minute],
    ['natural', 'reconciler', minute],
    ['lookup', 'reconciler', 0],
    ['manual', 'operator', day],
  ] as const)('is unknown, %s: with %s, next check after %d ms', (guarantee, owner, after) => {
    const { action } = doubted(guarantee)
      .then({
        type: 'ActionOutcomeUnknown',
        data: { attempt: 1, reason: 'timeout', answered: false },
      })
      .thenIs('unknown');
    expect(action.watch).toEqual({ owner, nextCheckAt: start + after });
    expect(action.attempts).toMatchObject([{ state: 'in doubt', answered: false }]);
    expect(action.claim).toBeUndefined();
  });

  it('is looked at after the in-flight bound where an earlier request may still arrive', () => {
    sentTwice.when(record({ ...timeout, answered: true }, { jitter: 0 })).then({
      type: 'ActionOutcomeUnknown',
      data: { attempt: 2, answered: true, nextCheckAt: start + minute },
    });
  });

  it('F087 is resent after a backoff where the provider answered', () => {
    const { action } = dispatched.when(
      record({ ...timeout, answered: true, retryAfterMs: 3 * second }, { jitter: 0 }),
    );
    expect(action.watch?.nextCheckAt).toBe(start + 3 * second);
  });

  it('is looked at by the time when a person is to know, whatever the provider asks for', () => {
    const { action } = dispatched.when(
      record({ ...timeout, answered: true, retryAfterMs: 30 * day }, { jitter: 0 }),
    );
    expect(action.watch?.nextCheckAt).toBe(start + day);
  });

  it('FW05 FW06 is what a lost attempt becomes', () => {
    dispatched
      .when(lose())
      .then({
        type: 'ActionOutcomeUnknown',
        data: {
          attempt: 1,
          reason: 'its lease ended',
          answered: false,
          owner: 'reconciler',
          nextCheckAt: start + minute,
        },
      })
      .thenIs('unknown')
      .when(lose())
      .thenRefused('action.status');
  });

  it('FW28 past its validity goes to an operator where it cannot be looked up', () => {
    const { action } = dispatched.wait(day - 1).when(record(timeout));
    expect(action.watch?.owner).toBe('reconciler');
    expect(dispatched.wait(day).when(record(timeout)).action.watch?.owner).toBe('operator');
  });

  it('is bounded: after the last try it is looked up, or goes to an operator', () => {
    const outOfTries = rulesFor('idempotent', { retry: once });
    dispatched
      .when(record(timeout, { rules: outOfTries }))
      .then({ type: 'ActionOutcomeUnknown', data: { owner: 'operator' } })
      .when(claim({ rules: outOfTries, watched: watchedFor(hour) }))
      .thenRefused('action.in-doubt');
    dispatched
      .when(record(timeout, { rules: { ...outOfTries, canLookUp: true } }))
      .then({ type: 'ActionOutcomeUnknown', data: { owner: 'reconciler' } });
  });
});

describe('FW12 who may say what became of an attempt', () => {
  it('the holder of the claim, for the attempt under it, once', () => {
    sentTwice.when(record(done, { claim: 1 })).thenRefused('action.claim-lost');
    sentTwice.when(record(done, { attempt: 1 })).thenRefused('action.claim-lost');
    given(...inStatus.claimed)
      .when(record(done, { attempt: 0 }))
      .thenRefused('action.status');
  });

  it('also after the end of the lease, as long as nobody took it', () => {
    dispatched.wait(hour).when(record(done)).thenIs('succeeded');
  });

  it('by name, where the holder only says that it is one', () => {
    dispatched.when(record(done, { worker: 'w-2' })).thenRefused('action.claim-lost');
    dispatched.when(record(done, { worker: 'w-1' })).thenIs('succeeded');
    const again = { claim: 1, attempt: 1 } as const;
    const told = dispatched.when(record(busy));
    told.when(record(busy, { ...again, worker: 'w-2' })).thenRefused('action.claim-lost');
    told.when(record(busy, { ...again, worker: 'w-1' })).then();
    dispatched.when(extend({ worker: 'w-2' })).thenRefused('action.claim-lost');
    dispatched.when(extend({ worker: 'w-1' })).then('ClaimExtended');
  });
});

describe('an outcome that is said again', () => {
  const firstClaim = { claim: 1, attempt: 1 } as const;

  it.each([
    ['a success', done],
    ['a refusal', refused],
    ['a retryable refusal', busy],
    ['a doubt', timeout],
    ['nothing sent', notSent],
  ] as const)('is no news: %s', (_what, outcome) => {
    dispatched.when(record(outcome)).when(record(outcome, firstClaim)).then();
  });

  it('is no news after the next attempt has begun', () => {
    given(...resent)
      .when(record(timeout, firstClaim))
      .then();
    dispatched
      .when(record(busy))
      .wait(hour)
      .when(claim())
      .when(dispatch())
      .when(record(busy, firstClaim))
      .then();
  });

  it('otherwise than before is evidence', () => {
    const told = dispatched.when(record(done));
    const others = [{ ...done, result: 'more' }, { ...done, externalId: 'r-78' }, refused, notSent];
    for (const other of others)
      told.when(record(other, firstClaim)).thenRefused('action.claim-lost');
    dispatched
      .when(record(refused))
      .when(record(done, firstClaim))
      .thenRefused('action.claim-lost');
  });

  it('is evidence where the lease ended before it was said at all', () => {
    const gone = dispatched.wait(hour).when(lose());
    for (const late of [done, refused, notSent, timeout])
      gone.when(record(late, firstClaim)).thenRefused('action.claim-lost');
  });

  it('is evidence where its effect was found before it was said at all', () => {
    dispatched
      .wait(hour)
      .when(lose())
      .when(verdict('found'))
      .thenIs('succeeded')
      .when(record(done, firstClaim))
      .thenRefused('action.claim-lost');
  });

  it('under another claim is evidence', () => {
    const told = dispatched.when(record(done));
    told.when(record(done, { claim: 2, attempt: 1 })).thenRefused('action.claim-lost');
    told.when(record(done, { claim: 1, attempt: 2 })).thenRefused('action.claim-lost');
  });
});

describe('calls that joined', () => {
  const joining = { joined: [{ run: 'r-1', turn: '2', call: 'c-2' }] };

  it.each([
    ['found', inStatus.unknown, verdict('found', joining), 'ActionReconciled'],
    [
      'settled as found',
      inStatus.unknown,
      settle({ verdict: { kind: 'found', result: null }, ...joining }),
      'ActionReconciled',
    ],
    ['reported', inStatus.unknown, report(joining), 'ActionSucceeded'],
  ] as const)('are on record with a success that is %s', (_how, before, command, type) => {
    const events = given(...before).when(command).decision;
    const types = events?.kind === 'accepted' ? events.events.map((event) => event.type) : [];
    expect(types.slice(-2)).toEqual([type, 'CallJoined']);
  });

  it('are not, with what settles nothing', () => {
    given(...inStatus.unknown)
      .when(verdict('error', joining))
      .then('ReconciliationChecked')
      .when(report({ claims: 'note', ...joining }))
      .then('EvidenceRecorded');
  });

  it('are on record with a success that had been reported before the attempt was lost', () => {
    given(...inStatus.dispatched)
      .when(report())
      .when(lose(joining))
      .then('ActionSucceeded', 'CallJoined');
  });

  const call = (name: string): object => ({ run: 'r-1', turn: '2', call: name });

  it('go on record with the outcome, each once', () => {
    const { action } = dispatched
      .when(record(done, { joined: [call('c-2'), call('c-2'), call('c-3'), {}] }))
      .then(
        'ActionSucceeded',
        { type: 'CallJoined', data: { call: call('c-2') } },
        { type: 'CallJoined', data: { call: call('c-3') } },
      );
    expect(action.calls).toHaveLength(3);
  });

  it('fit into one append', () => {
    const joined = Array.from({ length: 100 }, (_, index) => call(`c-${index + 10}`));
    expect(dispatched.when(record(done, { joined })).action.calls).toHaveLength(
      1 + joinedAtOnceMax,
    );
  });

  it('go on record with a failure too, and not with the call that created it', () => {
    dispatched
      .when(record(refused, { joined: [{ run: 'r-1', turn: '1', call: 'c-1' }, call('c-2')] }))
      .then('ActionFailed', 'CallJoined');
  });
});

describe('a success reported while an attempt runs', () => {
  const reported = sentTwice.when(report({ attempt: 1 }));

  it('settles its own attempt and waits for the running one', () => {
    const { action } = reported.then('EvidenceRecorded').thenIs('dispatched');
    expect(action.attempts.map(({ state }) => state)).toEqual(['succeeded', 'running']);
  });

  it.each([
    ['a refusal', record(refused), 'AttemptRefused'],
    ['a retryable refusal', record(busy), 'AttemptRefused'],
    ['not being sent', record(notSent), 'AttemptNotSent'],
  ])('makes the action succeeded when that settles by %s', (_name, command, first) => {
    const { action } = reported
      .when(command)
      .then(first as 'AttemptRefused', {
        type: 'ActionSucceeded',
        data: { attempt: 1, externalId: 'r-77', source: 'webhook' },
      })
      .thenIs('succeeded');
    expect(action.outcome?.externalId).toBe('r-77');
    expect(action.reportedSuccess).toBeUndefined();
  });

  it.each([record(timeout), lose()])('or comes into doubt', (command) => {
    reported.when(command).then('ActionSucceeded').thenIs('succeeded');
  });

  it('FW22 of no attempt in doubt means that a record was wrong', () => {
    const resentAfterAbsent = given(
      ...inStatus.unknown,
      event('ActionReconciled'),
      event('ActionClaimed'),
      event('ActionDispatched', { attempt: 2 }),
    );
    resentAfterAbsent
      .when(report())
      .then('EvidenceRecorded')
      .when(record(refused))
      .then('AttemptRefused', 'ActionSucceeded', 'IncidentOpened')
      .thenIs('succeeded');
    resentAfterAbsent
      .when(report({ attempt: 1 }))
      .then('EvidenceRecorded', 'IncidentOpened')
      .thenIs('dispatched')
      .when(record(refused))
      .then('AttemptRefused', 'ActionSucceeded');
    // What was reported is the running attempt's own effect, for all we know.
    resentAfterAbsent.when(report()).when(record(done)).then('ActionSucceeded');
  });
});
