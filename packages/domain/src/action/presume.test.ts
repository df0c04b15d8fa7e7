// What may have been done in a time that the store has lost is in doubt: the rules for a doubt, told
// once per guarantee, and what becomes of it when the doubt is settled.
import { describe, expect, it } from '@jest/globals';
import { eventsOf, given, type Story } from '../../test-support/given.ts';
import {
  allowed,
  claim,
  day,
  denied,
  dispatch,
  event,
  hour,
  inStatus,
  lost,
  minute,
  plan,
  planAction,
  presume,
  recheck,
  record,
  refused,
  rulesFor,
  second,
  settle,
  start,
  verdict,
  watchedFor,
} from '../../test-support/samples.ts';
import { checkAction, checkLedger } from '../invariants.ts';
import { type Guarantee } from './tool-rules.ts';
import { actionStatuses } from './transitions.ts';

const approval = { votes: 1, ownVote: false, expiresAfterMs: hour };
const sender = { worker: 'w-1', downstreamKey: 'key-1' };
const types = ({ decision }: Story): readonly string[] =>
  eventsOf(decision).map(({ type }) => type);

function planned(guarantee: Guarantee, knownUntil = lost.knownUntil): Story {
  const rules = rulesFor(guarantee);
  return given().when(planAction({ rules, dispatch: sender, presumed: { ...lost, knownUntil } }));
}

describe('an action first proposed after a recovery', () => {
  it.each<[Guarantee, string]>([
    ['idempotent', 'reconciler'],
    ['natural', 'reconciler'],
    ['lookup', 'reconciler'],
    ['manual', 'operator'],
  ])('%s: starts in doubt, and the %s looks first', (guarantee, owner) => {
    const { action, decision } = planned(guarantee);
    expect(eventsOf(decision).map(({ type }) => type)).toEqual([
      'ActionPlanned',
      'AttemptPresumed',
    ]);
    expect(action).toMatchObject({ status: 'unknown', downstreamKey: 'key-1', watch: { owner } });
    expect(action.attempts).toMatchObject([
      { attempt: 1, state: 'in doubt', dispatchedAt: lost.knownUntil, presumed: 'recovery-0' },
    ]);
  });

  it.each<Guarantee>(['idempotent', 'natural'])(
    '%s: is sent once nothing can be under way any more',
    (guarantee) => {
      const rules = rulesFor(guarantee);
      const early = claim({ rules, watched: watchedFor(minute - 1) });
      expect(planned(guarantee).when(early).decision).toMatchObject({ code: 'action.too-early' });
      const sent = planned(guarantee)
        .when(claim({ rules, watched: watchedFor(minute) }))
        .when(dispatch({ rules, downstreamKey: 'another-key' }));
      expect(sent.action).toMatchObject({ status: 'dispatched', downstreamKey: 'key-1' });
      expect(sent.action.attempts).toHaveLength(2);
    },
  );

  it.each<Guarantee>(['lookup', 'manual'])('%s: is not sent in doubt', (guarantee) => {
    const rules = rulesFor(guarantee);
    const { decision } = planned(guarantee).when(claim({ rules, watched: watchedFor(day) }));
    expect(decision).toMatchObject({ code: 'action.in-doubt', detail: { hindrance: 'guarantee' } });
  });

  it('counts the key window from the end of the record, not from the recovery', () => {
    const ageAtEnd = day - minute - 5 * minute;
    const resend = claim({ watched: watchedFor(minute) });
    const inside = planned('idempotent', start - ageAtEnd + second).when(resend);
    expect(types(inside)).toEqual(['ActionClaimed']);
    expect(planned('idempotent', start - ageAtEnd).when(resend).decision).toMatchObject({
      detail: { hindrance: 'key window' },
    });
  });

  it('lookup: absent after the waits makes it ready, and only then policy and approval are asked', () => {
    const rules = rulesFor('lookup');
    const presumed = given().when(
      planAction({ rules, approval, policy: denied, dispatch: sender, presumed: lost }),
    );
    expect(presumed.action.status).toBe('unknown');
    const early = presumed.when(verdict('absent', { rules, watched: watchedFor(minute) }));
    expect(types(early)).toEqual(['ReconciliationChecked']);
    const absent = presumed.when(verdict('absent', { rules, watched: watchedFor(70 * second) }));
    expect(absent.action.status).toBe('ready');
    const claimed = absent.when(claim({ rules }));
    expect(claimed.when(recheck({ rules, policy: denied })).action.status).toBe('denied');
    expect(claimed.when(recheck({ rules, policy: allowed, approval })).action.status).toBe(
      'awaiting_approval',
    );
  });

  it('lookup: found is its outcome, and nothing was sent', () => {
    const found = planned('lookup').when(verdict('found'));
    expect(found.action).toMatchObject({ status: 'succeeded', attempts: [{ state: 'succeeded' }] });
    const events = found.events.map((told, revision) => ({
      event: told,
      place: { revision, at: start },
    }));
    expect(checkAction('action-1', events, { now: start })).toEqual([]);
  });

  it('manual: an operator settles it, and absent is never sent by itself', () => {
    const rules = rulesFor('manual');
    const settled = planned('manual').when(settle({ rules, watched: watchedFor(day) }));
    expect(settled.action.status).toBe('failed');
  });

  it('cancelled from its first append, it is in doubt all the same, and nothing is sent after it', () => {
    const rules = rulesFor('lookup');
    const presumed = given().when(
      planAction({ rules, presumed: lost, cancelled: { reason: 'undone before it was sent' } }),
    );
    expect(types(presumed)).toEqual(['ActionPlanned', 'AttemptPresumed', 'CancelRequested']);
    const absent = presumed.when(verdict('absent', { rules, watched: watchedFor(day) }));
    expect(absent.action.status).toBe('cancelled');
    expect(presumed.when(verdict('found')).action.status).toBe('succeeded');
  });

  it('keeps its undo window for when it is known that nothing was done', () => {
    const rules = rulesFor('lookup', { undoWindowMs: hour });
    const presumed = given().when(planAction({ rules, presumed: lost }));
    const absent = presumed.when(verdict('absent', { rules, watched: watchedFor(day) }));
    expect(absent.action).toMatchObject({ status: 'ready', readyAt: start + hour });
  });

  it('does not count among the attempts that it may make', () => {
    const rules = rulesFor('idempotent', {
      retry: { attemptsMax: 1, backoffMinMs: 1, backoffMaxMs: 1 },
    });
    const sent = given()
      .when(planAction({ rules, presumed: lost }))
      .when(claim({ rules, watched: watchedFor(minute) }))
      .when(dispatch({ rules }));
    expect(sent.action.status).toBe('dispatched');
    const again = sent.when(record(refused, { rules, attempt: 2 }));
    expect(again.action.status).toBe('unknown');
    expect(again.when(claim({ rules, watched: watchedFor(day) })).decision).toMatchObject({
      detail: { hindrance: 'attempts' },
    });
  });
});

describe('an action that was open when the record ended', () => {
  it.each(['planned', 'awaiting_approval', 'ready', 'claimed', 'unknown'] as const)(
    '%s: may have been sent after that',
    (status) => {
      const { action, decision } = given(...inStatus[status]).when(presume());
      expect(eventsOf(decision)).toMatchObject([{ type: 'AttemptPresumed' }]);
      expect(action.status).toBe('unknown');
      expect(action.claim).toBeUndefined();
      expect(action.approval?.decided).toEqual(
        action.approval === undefined ? undefined : { as: 'ended', at: start },
      );
    },
  );

  it('is presumed once for each recovery', () => {
    const once = given(...inStatus.ready).when(presume());
    expect(eventsOf(once.when(presume()).decision)).toEqual([]);
    const twice = once.when(presume({ recovery: 'recovery-1' }));
    expect(twice.action.attempts.map(({ presumed }) => presumed)).toEqual([
      'recovery-0',
      'recovery-1',
    ]);
  });

  it('stays with its operator', () => {
    const owned = given(...inStatus.unknown, event('OwnerAssigned')).when(presume());
    expect(owned.action.watch?.owner).toBe('operator');
  });

  const open = ['planned', 'awaiting_approval', 'ready', 'claimed', 'unknown'];
  it.each(actionStatuses.filter((status) => !open.includes(status)))(
    '%s: is not presumed',
    (status) => {
      const { decision } = given(...inStatus[status]).when(presume());
      expect(decision).toMatchObject({ kind: 'refusal' });
    },
  );
});

describe('the invariants of an action whose record is not whole', () => {
  it('take any number of requests of the lost time, and one effect', () => {
    const { action } = given()
      .when(planAction({ plan, presumed: lost }))
      .when(verdict('found'));
    const tally = { tenant: 't1', key: 'key-1', requests: 4, effects: 1, requestsAt: [1, 2, 3, 4] };
    const broken = (effects: number) =>
      checkLedger([{ ...action, id: 'a' }], { now: start, provider: [{ ...tally, effects }] });
    expect(broken(1)).toEqual([]);
    expect(broken(2)).toMatchObject([{ invariant: 'effects-at-most-one' }]);
  });
});
