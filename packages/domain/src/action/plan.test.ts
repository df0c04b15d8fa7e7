import { describe, expect, it } from '@jest/globals';
import { given } from '../../test-support/given.ts';
import {
  allowed,
  denied,
  event,
  hour,
  inStatus,
  minute,
  plan,
  planAction,
  rulesFor,
  start,
  vote,
  day,
  second,
} from '../../test-support/samples.ts';

const sender = { worker: 'w-1', downstreamKey: 'key-1' };
const approval = { votes: 2, ownVote: true, expiresAfterMs: hour };
const withUndo = rulesFor('idempotent', { undoWindowMs: minute });

describe('planning an action', () => {
  it('records what was proposed, under what guarantee, until when, by which policy', () => {
    given()
      .when(planAction({ policy: { ...allowed, reason: 'small' } }))
      .then({
        type: 'ActionPlanned',
        data: {
          ...plan,
          guarantee: 'idempotent',
          validUntil: start + day,
          policy: { version: 'v1', reason: 'small' },
        },
      })
      .thenIs('ready');
  });

  it('FW28 is valid from when it was said, and expired at once where that was too long ago', () => {
    given()
      .when(planAction({ saidAt: start - hour }))
      .then({ type: 'ActionPlanned', data: { validUntil: start + day - hour } })
      .thenIs('ready');
    given()
      .when(planAction({ saidAt: start + hour }))
      .then({ type: 'ActionPlanned', data: { validUntil: start + day } });
    const tooLate = given().when(planAction({ saidAt: start - day, dispatch: sender, approval }));
    expect(tooLate.events.map(({ type }) => type)).toEqual(['ActionPlanned', 'ActionExpired']);
    tooLate.thenIs('expired');
    given()
      .when(planAction({ saidAt: start - day, policy: denied }))
      .thenIs('denied');
  });

  it('keeps in mind whatever ties the action to others', () => {
    const { action } = given().when(
      planAction({
        plan: {
          ...plan,
          key: 'k-1',
          compensates: 'other',
          repeatOf: { action: 'before', reason: 'once more', by: 'ann' },
          secret: true,
        },
      }),
    );
    expect(action).toMatchObject({
      key: 'k-1',
      compensates: 'other',
      repeatOf: 'before',
      secret: true,
      by: 'pat',
      policyVersion: 'v1',
      calls: [plan.call],
    });
    expect(given(...inStatus.ready).action.secret).toBe(false);
  });

  it('happens once', () => {
    given(...inStatus.ready)
      .when(planAction())
      .thenRefused('action.exists');
    given(...inStatus.reserved)
      .when(planAction())
      .thenRefused('action.exists');
  });

  it('claims and dispatches in the same append for a caller that executes', () => {
    const { action } = given()
      .when(planAction({ dispatch: { ...sender, undoes: ['other'] } }))
      .then(
        'ActionPlanned',
        { type: 'ActionClaimed', data: { worker: 'w-1', leaseUntil: start + 40 * second } },
        {
          type: 'ActionDispatched',
          data: {
            attempt: 1,
            downstreamKey: 'key-1',
            deadlineAt: start + 30 * second,
            inFlightMs: minute,
            undoes: ['other'],
          },
        },
      )
      .thenIs('dispatched');
    expect(action.claim?.revision).toBe(1);
    expect(action.undoes).toEqual(['other']);
  });

  it.each([
    ['a denial', planAction({ dispatch: sender, policy: denied }), 'ActionDenied', 'denied'],
    [
      'an approval',
      planAction({ dispatch: sender, approval }),
      'ApprovalRequested',
      'awaiting_approval',
    ],
  ] as const)('dispatches nothing past %s', (_name, command, second, status) => {
    given().when(command).then('ActionPlanned', second).thenIs(status);
  });

  it.each([
    ['an undo window', planAction({ dispatch: sender, rules: withUndo })],
    ['an undoer under way', planAction({ dispatch: sender, plan: { ...plan, after: 'undoer' } })],
  ])('dispatches nothing before the end of %s', (_name, command) => {
    given().when(command).then('ActionPlanned').thenIs('planned');
  });

  it('records a denial with the version of the policy that denied', () => {
    given()
      .when(planAction({ policy: { effect: 'deny', version: 'v7' } }))
      .then('ActionPlanned', {
        type: 'ActionDenied',
        data: { policyVersion: 'v7', reason: 'denied by policy' },
      });
  });
});

describe('asking for approval', () => {
  it('binds the votes to the arguments hash and to the rules of the tool', () => {
    given()
      .when(planAction({ approval, policy: { ...allowed, reason: 'large' } }))
      .then('ActionPlanned', {
        type: 'ApprovalRequested',
        data: {
          votes: 2,
          ownVote: true,
          expiresAt: start + hour,
          argumentsHash: 'hash-1',
          policyVersion: 'v1',
          reason: 'large',
        },
      });
  });

  it('takes one vote, not one’s own, where only the policy asks', () => {
    given()
      .when(planAction({ policy: { effect: 'ask', version: 'v1' } }))
      .then('ActionPlanned', {
        type: 'ApprovalRequested',
        data: { votes: 1, ownVote: false, expiresAt: start + day },
      });
  });

  it('lets the undo window begin with the approval', () => {
    given()
      .when(planAction({ rules: withUndo, policy: { effect: 'ask', version: 'v1' } }))
      .wait(10 * minute)
      .when(vote())
      .then('ApprovalVoted', {
        type: 'ActionApproved',
        data: { voters: ['ann'], readyAt: start + 11 * minute },
      })
      .thenIs('planned');
  });

  it('leaves an action that waits for an undoer planned', () => {
    const { action } = given()
      .when(planAction({ plan: { ...plan, after: 'undoer' }, approval: { ...approval, votes: 1 } }))
      .when(vote())
      .thenIs('planned');
    expect(action.after).toBe('undoer');
  });
});

describe('reserving a name', () => {
  it('says for which action, once', () => {
    given()
      .when({ type: 'ReserveName', action: 'other' })
      .then({ type: 'NameReserved', data: { action: 'other' } })
      .thenIs('reserved')
      .when({ type: 'ReserveName', action: 'other' })
      .then()
      .when({ type: 'ReserveName', action: 'another' })
      .thenRefused('action.exists');
  });

  it('is refused where an action has the name', () => {
    given(event('ActionPlanned'))
      .when({ type: 'ReserveName', action: 'other' })
      .thenRefused('action.exists');
  });
});
