// Each invariant holds in an honest ledger and is broken here at least once.
import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { fold } from '../test-support/given.ts';
import {
  day,
  event,
  forcedFailed,
  inStatus,
  minute,
  resent,
  second,
  start,
} from '../test-support/samples.ts';
import { type ActionEvent, type EventData } from './action/event.ts';
import { type Action, newAction } from './action/state.ts';
import { actionStatuses } from './action/transitions.ts';
import { chainHash, chainStart, sealMetadata } from './chain.ts';
import { actionIdOf, streamOfAction } from './identity/action-id.ts';
import {
  type BrokenInvariant,
  checkAction,
  checkLedger,
  checkState,
  type DownstreamTally,
  type InvariantName,
  invariantNames,
  type StreamEvent,
} from './invariants.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');
const keyHash = sha256('order o-1');
const otherHash = sha256('order o-2');
const id = actionIdOf(keyHash, 0);
const stream = streamOfAction(id);
const soon = { now: start + second };
const later = { now: start + day };

const seen = new Set<InvariantName>();

/** Exactly this invariant is broken, and says so in words that match. */
function expectBroken(
  broken: readonly BrokenInvariant[],
  invariant: InvariantName,
  detail: RegExp,
): void {
  seen.add(invariant);
  expect(broken.map((each) => each.invariant)).toEqual([invariant]);
  expect(broken[0]?.detail).toMatch(detail);
}

const placed = (events: readonly ActionEvent[], at = start): StreamEvent[] =>
  events.map((each, revision) => ({ event: each, place: { revision, at } }));

function sealed(events: readonly ActionEvent[], inStream = stream): StreamEvent[] {
  let hash = chainStart(inStream);
  return placed(events).map(({ event: each, place }) => {
    const text = {
      id: `id-${place.revision}`,
      type: each.type,
      data: JSON.stringify(each.data),
      metadata: `{"at":${place.at}}`,
    };
    hash = chainHash(sha256, hash, text);
    return { event: each, place, stored: { ...text, metadata: sealMetadata(text.metadata, hash) } };
  });
}

describe('an honest stream', () => {
  it.each(actionStatuses)('%s breaks nothing', (status) => {
    expect(checkAction(stream, sealed(inStatus[status]), { ...soon, sha256 })).toEqual([]);
  });

  it.each([
    ['resent', resent],
    ['forced', forcedFailed],
  ])('%s breaks nothing', (_name, events) => {
    expect(checkAction(stream, placed(events), soon)).toEqual([]);
  });
});

describe('a stream', () => {
  const check = (events: readonly ActionEvent[], context = soon): readonly BrokenInvariant[] =>
    checkAction(stream, placed(events), context);

  it('chain-holds: what is stored is what was appended, where it was', () => {
    const [first, ...rest] = sealed(inStatus.succeeded);
    const stored = { ...first?.stored, data: '{}' } as StreamEvent['stored'] & object;
    const edited = [{ ...first, stored } as StreamEvent, ...rest];
    expectBroken(
      checkAction(stream, edited, { ...soon, sha256 }),
      'chain-holds',
      /revision 0: edited/,
    );
    const moved = checkAction(stream, sealed(inStatus.ready, 'other'), { ...soon, sha256 });
    expectBroken(moved, 'chain-holds', /revision 0/);
  });

  it('stream-folds: each event can follow the one before', () => {
    const impossible = check([event('ActionPlanned'), event('ActionApproved')]);
    expectBroken(impossible, 'stream-folds', /ActionApproved cannot follow in status ready/);
    const [first, , third] = placed(inStatus.dispatched);
    const gap = checkAction(stream, [first, third] as StreamEvent[], soon);
    expectBroken(gap, 'stream-folds', /revision 2 follows 0/);
  });

  it('one-arguments-hash: an approval is for the arguments that were planned', () => {
    const asked = event('ApprovalRequested', { argumentsHash: 'hash-2' });
    expectBroken(check([event('ActionPlanned'), asked]), 'one-arguments-hash', /hash-1 and hash-2/);
  });

  it('success-never-changes: there is one', () => {
    const twice = check([...inStatus.succeeded, event('ActionSucceeded')]);
    expect(twice.map(({ invariant }) => invariant)).toEqual([
      'success-never-changes',
      'stream-folds',
    ]);
    const found = event('ActionReconciled', { verdict: 'found' });
    expect(check([...inStatus.succeeded, found])[0]?.detail).toMatch(/revision 4 records another/);
    seen.add('success-never-changes');
  });

  it('attempts-follow-dispatches: numbered 1 to n, under one key, settled after', () => {
    const second = resent.slice(0, -1);
    const skipped = check([...second, event('ActionDispatched', { attempt: 3 })]);
    expectBroken(skipped, 'attempts-follow-dispatches', /attempt 3 as number 2/);
    const rekeyed = event('ActionDispatched', { attempt: 2, downstreamKey: 'key-2' });
    expectBroken(
      check([...second, rekeyed]),
      'attempts-follow-dispatches',
      /another downstream key/,
    );
    const settled = [...inStatus.dispatched, event('ActionSucceeded', { attempt: 2 })];
    expectBroken(
      check(settled),
      'attempts-follow-dispatches',
      /attempt 2, which was not dispatched/,
    );
  });

  it('dispatch-under-live-claim: before the end of its lease', () => {
    const late = checkAction(stream, placed(inStatus.dispatched, start + 40 * second), {
      now: start + 40 * second,
    });
    expectBroken(late, 'dispatch-under-live-claim', /revision 2 dispatches at/);
    const without = check([event('ActionPlanned'), event('ActionDispatched')]);
    expect(without.map(({ invariant }) => invariant)).toEqual([
      'dispatch-under-live-claim',
      'stream-folds',
    ]);
  });

  it('unknown-is-watched: by an owner, with a next check', () => {
    const nobody = { owner: undefined, nextCheckAt: undefined } as unknown as object;
    const unknown = event('ActionOutcomeUnknown', nobody);
    expectBroken(
      check([...inStatus.dispatched, unknown]),
      'unknown-is-watched',
      /unknown without owner/,
    );
    const failed = [...inStatus.compensating, event('CompensationFailed', nobody)];
    expectBroken(check(failed), 'unknown-is-watched', /compensation_failed without owner/);
    const incident = [...inStatus.succeeded, event('IncidentOpened', nobody)];
    expectBroken(check(incident), 'unknown-is-watched', /late-success-3 is without owner/);
    const never = event('ActionOutcomeUnknown', { nextCheckAt: Number.NaN });
    expectBroken(check([...inStatus.dispatched, never]), 'unknown-is-watched', /unknown/);
  });

  it('no-rest-past-the-lease: beyond one sweep', () => {
    for (const status of ['claimed', 'dispatched'] as const) {
      expect(check(inStatus[status], { now: start + 45 * second })).toEqual([]);
      const over = check(inStatus[status], { now: start + 45 * second + 1 });
      expectBroken(
        over,
        'no-rest-past-the-lease',
        new RegExp(`${status}, and its lease ended 1 ms`),
      );
    }
    const action = { ...fold(inStatus.claimed), claim: undefined } as unknown as Action;
    expectBroken(checkState(stream, action, soon), 'no-rest-past-the-lease', /without a claim/);
  });

  it('doubt-is-kept: nothing but a forced failure ends an action in doubt', () => {
    const { attempts } = fold(inStatus.unknown);
    for (const status of ['failed', 'denied', 'rejected', 'expired', 'cancelled'] as const) {
      const action = { ...fold(inStatus[status]), attempts };
      expectBroken(
        checkState(stream, action, soon),
        'doubt-is-kept',
        /while an attempt is in doubt/,
      );
    }
    for (const status of ['planned', 'awaiting_approval', 'ready'] as const) {
      const action = { ...fold(inStatus[status]), attempts };
      expectBroken(checkState(stream, action, soon), 'doubt-is-kept', new RegExp(status));
    }
    const superseded = { ...fold(inStatus.superseded), guarantee: 'lookup' as const };
    expectBroken(checkState(stream, superseded, soon), 'doubt-is-kept', /its guarantee is lookup/);
  });
});

type Planned = Partial<EventData['ActionPlanned']>;

function action(of: string, events: readonly ActionEvent[], planned: Planned = {}): Action {
  const [first, ...rest] = events;
  const data = { ...(first?.data as EventData['ActionPlanned']), ...planned };
  return fold([event('ActionPlanned', data), ...rest], of);
}

const done = (externalId: string): readonly ActionEvent[] => [
  ...inStatus.dispatched,
  event('ActionSucceeded', { externalId }),
];

describe('a ledger', () => {
  const other = actionIdOf(otherHash, 0);
  const next = actionIdOf(keyHash, 1);

  const undoing = (events: readonly ActionEvent[]): Action =>
    action(other, [
      ...events.slice(0, 2),
      event('ActionDispatched', { undoes: [id] }),
      ...events.slice(3),
    ]);
  const undone = action(id, [...done('r-1'), event('ActionUndone', { by: other })]);
  const compensating = action(id, [...done('r-1'), event('CompensationPlanned', { by: other })]);
  const compensated = action(id, [
    ...done('r-1'),
    event('CompensationPlanned', { by: other }),
    event('ActionCompensated', { by: other }),
  ]);

  it('that is honest breaks nothing', () => {
    const ledgers: readonly (readonly Action[])[] = [
      [],
      [newAction(id)],
      [action(id, inStatus.failed), action(next, inStatus.succeeded, { epoch: 1 })],
      [undone, undoing(done('r-2'))],
      [compensated, action(other, done('r-2'), { compensates: id })],
      [compensating, action(other, inStatus.unknown, { compensates: id })],
      [
        action(id, [
          ...done('r-1'),
          event('CompensationPlanned', { by: other }),
          event('CompensationFailed', { by: other }),
        ]),
        action(other, inStatus.failed, { compensates: id }),
      ],
      [fold(inStatus.reserved, other), action(id, inStatus.ready)],
    ];
    for (const ledger of ledgers) expect(checkLedger(ledger, later)).toEqual([]);
  });

  it('one-arguments-hash: a caller’s key means one thing in its tenant', () => {
    const mine = action(id, inStatus.ready, { key: 'k-1' });
    const same = { key: 'k-1', argumentsHash: 'hash-2' };
    expectBroken(
      checkLedger([mine, action(other, inStatus.ready, same)], later),
      'one-arguments-hash',
      /has its key with other arguments/,
    );
    const elsewhere = action(other, inStatus.ready, { ...same, tenant: 't2' });
    expect(checkLedger([mine, elsewhere], later)).toEqual([]);
  });

  it('epochs-without-gaps: epoch n needs epoch n-1, and says its number', () => {
    const third = action(actionIdOf(keyHash, 2), inStatus.ready, { epoch: 2 });
    expectBroken(
      checkLedger([action(id, inStatus.failed), third], later),
      'epochs-without-gaps',
      /epoch 2 exists without epoch 1/,
    );
    expectBroken(
      checkLedger([action(id, inStatus.ready, { epoch: 1 })], later),
      'epochs-without-gaps',
      /its name says epoch 0, its events 1/,
    );
  });

  it('one-action-per-external-id: unless they are linked', () => {
    const name = 'one-action-per-external-id';
    const [mine, theirs] = [action(id, done('r-1')), action(other, done('r-1'))];
    expectBroken(checkLedger([mine, theirs], later), name, /has r-1 as well/);
    const elsewhere = action(other, done('r-1'), { tool: 'charge' });
    expect(checkLedger([mine, elsewhere], later)).toEqual([]);
    const told = { ...theirs, duplicates: [{ externalIds: ['r-1'], other: id }] };
    expect(checkLedger([mine, told], later)).toEqual([]);
    const values = [
      action(id, done('r-1'), { guarantee: 'natural' }),
      action(next, done('r-1'), { guarantee: 'natural', epoch: 1 }),
    ];
    expect(checkLedger(values, later)).toEqual([]);
  });

  it('one-action-per-external-id: one action has one, or a duplicate on record', () => {
    const reported = event('EvidenceRecorded', { claims: 'success', externalId: 'r-9' });
    expectBroken(
      checkLedger([action(id, [...done('r-1'), reported])], later),
      'one-action-per-external-id',
      /r-1 and r-9, and no duplicate/,
    );
    const told = [...done('r-1'), reported, event('DuplicateEffectDetected')];
    expect(checkLedger([action(id, told)], later)).toEqual([]);
  });

  it('links-complete: undone and undoer name each other, within one sweep', () => {
    const half = [action(id, done('r-1')), undoing(done('r-2'))];
    expect(checkLedger(half, soon)).toEqual([]);
    expectBroken(checkLedger(half, later), 'links-complete', /undid .* not marked as undone/);
    const silent = [undone, action(other, done('r-2'))];
    expectBroken(checkLedger(silent, soon), 'links-complete', /does not say so/);
    expectBroken(checkLedger([undone], soon), 'links-complete', /does not say so/);
    expectBroken(checkLedger([undoing(done('r-2'))], soon), 'links-complete', /not marked/);
    expect(checkLedger([action(id, done('r-1')), undoing(inStatus.unknown)], later)).toEqual([]);
  });

  it('links-complete: what replaces it, or what it waits for, exists', () => {
    const edited = action(id, [
      event('ActionPlanned'),
      event('ActionCancelled', { supersededBy: next }),
    ]);
    expect(checkLedger([edited], soon)).toEqual([]);
    expectBroken(checkLedger([edited], later), 'links-complete', /superseded by .* does not exist/);
    expect(checkLedger([edited, action(next, inStatus.ready, { epoch: 1 })], later)).toEqual([]);
    const waiting = action(id, inStatus.planned, { after: other });
    expectBroken(checkLedger([waiting], later), 'links-complete', /waits for .* does not exist/);
  });

  it('links-complete: what was edited names the edit', () => {
    const editOf = { action: id, reason: 'too much', by: 'ann' };
    const edit = action(other, inStatus.ready, { editOf });
    const edited = event('ActionCancelled', { supersededBy: other, edited: { amount: 10 } });
    expect(checkLedger([action(id, [...inStatus.planned, edited]), edit], later)).toEqual([]);
    expectBroken(
      checkLedger([action(id, inStatus.cancelled), edit], later),
      'links-complete',
      /is an edit of .*, which does not say so/,
    );
  });

  it('links-complete: a repeat is the epoch after what it repeats', () => {
    const repeatOf = { action: id, reason: 'once more', by: 'ann' };
    const repeat = action(next, inStatus.ready, { epoch: 1, repeatOf });
    expect(checkLedger([action(id, inStatus.failed), repeat], later)).toEqual([]);
    const astray = action(other, inStatus.ready, { repeatOf });
    expectBroken(
      checkLedger([action(id, inStatus.failed), astray], later),
      'links-complete',
      /without being the epoch after it/,
    );
    expectBroken(checkLedger([astray], later), 'links-complete', /repeats .* does not exist/);
    const instead = event('ActionCancelled', { supersededBy: actionIdOf(keyHash, 2), edited: {} });
    const replaced = action(next, [...inStatus.planned, instead], { epoch: 1, repeatOf });
    const editOf = { action: next, reason: 'less', by: 'ann' };
    const edit = action(actionIdOf(keyHash, 2), inStatus.ready, { epoch: 2, repeatOf, editOf });
    expect(checkLedger([action(id, inStatus.failed), replaced, edit], later)).toEqual([]);
  });

  it('links-complete: compensation and original tell the same', () => {
    expect(checkLedger([compensating], soon)).toEqual([]);
    expectBroken(checkLedger([compensating], later), 'links-complete', /does not say so/);
    const undoDone = action(other, done('r-2'), { compensates: id });
    expectBroken(
      checkLedger([compensating, undoDone], later),
      'links-complete',
      /is compensating, but its compensation .* is succeeded/,
    );
    const undoFailed = action(other, inStatus.failed, { compensates: id });
    expectBroken(
      checkLedger([compensating, undoFailed], later),
      'links-complete',
      /is compensating, but its compensation .* is failed/,
    );
    expectBroken(
      checkLedger([compensated, undoFailed], later),
      'links-complete',
      /is compensated, but its compensation .* is failed/,
    );
    expectBroken(checkLedger([undoDone], later), 'links-complete', /compensates .* does not exist/);
    expectBroken(
      checkLedger([action(id, done('r-1')), undoDone], later),
      'links-complete',
      /which was never told/,
    );
  });

  it('links-complete: a failed compensation may be followed by another', () => {
    const again = actionIdOf(otherHash, 1);
    const ledger = [
      action(id, [
        ...done('r-1'),
        event('CompensationPlanned', { by: other }),
        event('CompensationFailed', { by: other }),
        event('CompensationPlanned', { by: again }),
        event('ActionCompensated', { by: again }),
      ]),
      action(other, inStatus.failed, { compensates: id }),
      action(again, done('r-2'), { compensates: id, epoch: 1 }),
    ];
    expect(checkLedger(ledger, later)).toEqual([]);
  });
});

describe('what a provider saw', () => {
  const tally: DownstreamTally = { tenant: 't1', key: 'key-1', requests: 1, effects: 1 };
  const check = (changes: Partial<DownstreamTally>, events = inStatus.succeeded) =>
    checkLedger([action(id, events)], { ...later, provider: [{ ...tally, ...changes }] });

  it('is at most one effect', () => {
    expect(check({})).toEqual([]);
    expect(check({ requests: 0, effects: 0 })).toEqual([]);
    expectBroken(check({ effects: 2 }), 'effects-at-most-one', /2 effects/);
  });

  it('is no request without an attempt', () => {
    expectBroken(check({ requests: 2 }), 'requests-within-attempts', /2 requests for 1 attempts/);
    expect(check({ requests: 2 }, resent)).toEqual([]);
    expectBroken(check({ key: 'key-2' }), 'requests-within-attempts', /no action has dispatched/);
    expectBroken(check({ tenant: 't2' }), 'requests-within-attempts', /no action has dispatched/);
  });

  it('is no request before its dispatch', () => {
    expect(check({ requestsAt: [start] })).toEqual([]);
    expectBroken(
      check({ requestsAt: [start - 1] }),
      'requests-within-attempts',
      /before its dispatch/,
    );
    const [first, last] = [start + minute, start - 1];
    expectBroken(
      check({ requests: 2, requestsAt: [first, last] }, resent),
      'requests-within-attempts',
      /before its dispatch/,
    );
  });
});

describe('the list of invariants', () => {
  it('names what was broken above, each at least once', () => {
    // That of workflows alone is broken in check-workflows.test.ts.
    const names = invariantNames.filter((name) => name !== 'undone-in-reverse');
    expect([...seen].sort()).toEqual(names);
  });
});
