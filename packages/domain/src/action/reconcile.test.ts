import { describe, expect, it } from '@jest/globals';
import { given, type Story } from '../../test-support/given.ts';
import {
  cancel,
  checkNow,
  claim,
  day,
  dispatch,
  done,
  event,
  hour,
  inStatus,
  minute,
  plannedFor,
  record,
  report,
  resent,
  rulesFor,
  second,
  settle,
  start,
  verdict,
  watchedFor,
} from '../../test-support/samples.ts';
import { defaultRetry, type Guarantee } from './tool-rules.ts';

const unknownFor = (guarantee: Guarantee): Story =>
  given(plannedFor(guarantee), ...inStatus.unknown.slice(1));
const rules = rulesFor('lookup');
const unknown = unknownFor('lookup');
/** In-flight bound and settle time. */
const waits = minute + 10 * second;

describe('a verdict found', () => {
  it('F203 counts at once, with external id and result', () => {
    const { action } = unknown
      .when(verdict('found', { rules }))
      .then({
        type: 'ActionReconciled',
        data: {
          verdict: 'found',
          by: 'reconciler',
          externalId: 'r-77',
          result: { refund: 'r-77' },
        },
      })
      .thenIs('succeeded');
    expect(action.outcome).toEqual({ result: { refund: 'r-77' }, externalId: 'r-77', at: start });
    expect(action.watch).toBeUndefined();
  });

  it('stands where a cancel had been asked for', () => {
    unknown.when(cancel()).when(verdict('found', { rules })).thenIs('succeeded');
  });
});

describe('FW20 F080 F201 a verdict absent', () => {
  it('counts only from a lookup sent after in-flight bound and settle time', () => {
    unknown
      .when(verdict('absent', { rules, watched: watchedFor(waits - 1) }))
      .then({ type: 'ReconciliationChecked', data: { check: 1, verdict: 'absent' } })
      .thenIs('unknown');
    const { action } = unknown
      .when(verdict('absent', { rules, watched: watchedFor(waits) }))
      .then({ type: 'ActionReconciled', data: { verdict: 'absent', by: 'reconciler' } })
      .thenIs('ready');
    expect(action).toMatchObject({ absentBefore: true, attempts: [{ state: 'no effect' }] });
  });

  it('FW24 is judged by the judge’s own watch, whatever the wall clock says', () => {
    unknown.wait(hour).when(verdict('absent', { rules })).then('ReconciliationChecked');
  });

  it('that came too early is asked again as soon as it can count', () => {
    unknown
      .when(verdict('absent', { rules, watched: watchedFor(waits - 2 * second) }))
      .then({ type: 'ReconciliationChecked', data: { nextCheckAt: start + 2 * second } });
  });

  it('holds for every attempt in doubt, by the longest of their bounds', () => {
    const twice = given(...resent, event('ActionOutcomeUnknown', { attempt: 2 }));
    const { action } = twice
      .when(verdict('absent', { watched: watchedFor(minute) }))
      .thenIs('ready');
    expect(action.attempts.map(({ state }) => state)).toEqual(['no effect', 'no effect']);
    given(
      event('ActionPlanned'),
      event('ActionClaimed'),
      event('ActionDispatched', { inFlightMs: hour }),
      ...resent.slice(3),
      event('ActionOutcomeUnknown', { attempt: 2 }),
    )
      .when(verdict('absent', { watched: watchedFor(hour - 1) }))
      .then('ReconciliationChecked');
  });

  it('lets a lookup tool send again, and never before', () => {
    unknown
      .when(claim({ rules, watched: watchedFor(hour) }))
      .thenRefused('action.in-doubt')
      .when(verdict('absent', { rules, watched: watchedFor(waits) }))
      .when(claim({ rules }))
      .when(dispatch({ rules }))
      .then({ type: 'ActionDispatched', data: { attempt: 2, downstreamKey: 'key-1' } });
  });

  it.each([
    ['manual', { rules: rulesFor('manual') }, 0, 'failed'],
    ['after its validity', { rules }, day, 'expired'],
    [
      'after its last attempt',
      { rules: { ...rules, retry: { ...defaultRetry, attemptsMax: 1 } } },
      0,
      'failed',
    ],
  ] as const)('%s ends the action', (_name, changes, waited, status) => {
    unknown
      .wait(waited)
      .when(verdict('absent', { watched: watchedFor(waits), ...changes }))
      .thenIs(status);
  });

  it('manual when planned stays manual, however the tool is declared now', () => {
    unknownFor('manual')
      .when(verdict('absent', { rules, watched: watchedFor(waits) }))
      .thenIs('failed');
  });
});

describe('a check that settles nothing', () => {
  it('FW20 is not taken for absent: an error, or another’s effect', () => {
    for (const kind of ['error', 'ambiguous'] as const) {
      const { action } = unknown
        .when(verdict(kind, { rules, watched: watchedFor(day) }))
        .then({ type: 'ReconciliationChecked', data: { verdict: kind, reason: 'it says' } })
        .thenIs('unknown');
      expect(action.checks).toBe(1);
    }
  });

  it('makes the next one come later, up to an hour apart', () => {
    let story = unknown;
    const waited: number[] = [];
    for (let check = 1; check <= 12; check += 1) {
      story = story.when(verdict('error', { rules }));
      waited.push((story.action.watch?.nextCheckAt ?? 0) - start);
    }
    expect(waited.slice(0, 3)).toEqual([10 * second, 20 * second, 40 * second]);
    expect(waited.at(-1)).toBe(hour);
  });

  it('hands over to an operator after 12 checks or 24 hours, and goes on', () => {
    let story = unknown;
    for (let check = 1; check < 12; check += 1) story = story.when(verdict('error', { rules }));
    expect(story.action.watch?.owner).toBe('reconciler');
    story
      .when(verdict('error', { rules }))
      .then({ type: 'ReconciliationChecked', data: { check: 12, owner: 'operator' } });
    unknown
      .wait(day)
      .when(verdict('error', { rules }))
      .then({ type: 'ReconciliationChecked', data: { check: 1, owner: 'operator' } });
  });

  it('does not take it from an operator', () => {
    unknown
      .when({ type: 'AssignOwner', owner: 'operator', nextCheckAt: start, reason: 'policy' })
      .when(verdict('error', { rules }))
      .then({ type: 'ReconciliationChecked', data: { owner: 'operator' } });
  });
});

describe('a verdict from a lookup that was overtaken', () => {
  it('FW27 is thrown away, whatever it says', () => {
    for (const kind of ['found', 'absent', 'error'] as const) {
      unknown
        .when(verdict(kind, { rules, watched: watchedFor(day), revisionRead: 2 }))
        .thenRefused('action.stale-revision');
    }
    given(...resent)
      .when(verdict('found'))
      .thenRefused('action.status');
  });
});

describe('FW27 an operator', () => {
  it('settles with a reason, by the revision they saw', () => {
    const found = {
      kind: 'found',
      result: null,
      externalId: 'r-9',
      digest: 'd',
      notes: ['cut'],
    } as const;
    const { action } = unknown
      .when(settle({ rules, verdict: found, revisionSeen: 2 }))
      .thenRefused('action.stale-revision')
      .when(settle({ rules, verdict: found }))
      .then({
        type: 'ActionReconciled',
        data: { verdict: 'found', by: 'ann', reason: 'asked the bank', externalId: 'r-9' },
      })
      .thenIs('succeeded');
    const outcome = { result: null, externalId: 'r-9', digest: 'd', notes: ['cut'], at: start };
    expect(action.outcome).toEqual(outcome);
  });

  it('says absent too early: refused, with how long to wait', () => {
    const { decision } = unknown
      .when(settle({ rules, watched: watchedFor(10 * second) }))
      .thenRefused('action.too-early')
      .thenIs('unknown');
    expect(decision).toMatchObject({ detail: { waitMs: minute } });
    unknown.when(settle({ rules, watched: watchedFor(waits) })).thenIs('ready');
  });

  it('ends a manual action with absent, and does not send it again', () => {
    const { action } = unknownFor('manual')
      .when(settle({ rules: rulesFor('manual'), watched: watchedFor(minute) }))
      .then('ActionReconciled', { type: 'ActionFailed', data: { reason: 'asked the bank' } })
      .thenIs('failed');
    expect(action.ending?.stands).toBe(false);
  });

  it('forces absent: failed with its doubt kept on record, standing', () => {
    const { action } = unknown
      .when(settle({ rules, verdict: { kind: 'absent', forced: true } }))
      .then({ type: 'ActionFailed', data: { reason: 'asked the bank', forced: { by: 'ann' } } })
      .thenIs('failed');
    expect(action).toMatchObject({
      attempts: [{ state: 'in doubt' }],
      ending: { stands: true, by: 'ann' },
    });
  });

  it('has nothing to settle where nothing is unknown', () => {
    given(...inStatus.dispatched)
      .when(settle())
      .thenRefused('action.status');
  });

  it('gets what is unknown or failed to compensate assigned', () => {
    const assign = {
      type: 'AssignOwner',
      owner: 'operator',
      nextCheckAt: start + day,
      reason: 'nobody serves the tool',
    } as const;
    for (const status of ['unknown', 'compensating', 'compensation_failed'] as const) {
      const { action } = given(...inStatus[status])
        .when(assign)
        .then('OwnerAssigned');
      expect(action.watch).toEqual({ owner: 'operator', nextCheckAt: start + day });
    }
    given(...inStatus.ready)
      .when(assign)
      .thenRefused('action.status');
  });
});

describe('a check that a person asks for', () => {
  const toOperator = {
    type: 'AssignOwner',
    owner: 'operator',
    nextCheckAt: start + day,
    reason: 'nobody answers',
  } as const;

  it('is due at once, and asked again meanwhile adds nothing', () => {
    const asked = unknown
      .when(toOperator)
      .when(checkNow({ rules }))
      .then({ type: 'OwnerAssigned', data: { owner: 'operator', nextCheckAt: start } });
    asked.when(checkNow({ rules })).then();
  });

  it.each<[string, Guarantee, object]>([
    ['has no lookup', 'manual', {}],
    ['is not sent again', 'idempotent', { rules: rulesFor('idempotent', { validForMs: 0 }) }],
    ['has lost its secrets', 'lookup', { secretLost: true }],
  ])('of what %s is refused once a person has it: settle it', (_what, guarantee, more) => {
    const ofRules = { rules: rulesFor(guarantee), ...more };
    const story = unknownFor(guarantee).wait(2 * day);
    story.when(toOperator).when(checkNow(ofRules)).thenRefused('action.nothing-to-ask');
    const { decision } = story.when(toOperator).when(checkNow(ofRules));
    expect(decision).toMatchObject({ message: expect.stringMatching(/settle the action/) });
  });

  it('of what may be sent again is not refused', () => {
    const story = unknownFor('idempotent').when(toOperator);
    story.when(checkNow({ rules: rulesFor('idempotent') })).then('OwnerAssigned');
  });
});

describe('FW22 after a wrong absent', () => {
  const settled = unknown.when(verdict('absent', { rules, watched: watchedFor(waits) }));

  it('the late effect makes the action succeeded, opens an incident and stops every send', () => {
    for (const story of [settled, settled.when(claim({ rules }))]) {
      const { action } = story
        .when(report({ rules }))
        .then('EvidenceRecorded', 'ActionSucceeded', {
          type: 'IncidentOpened',
          data: { owner: 'operator', nextCheckAt: start + day },
        })
        .thenIs('succeeded')
        .when(claim({ rules }))
        .thenRefused('action.status')
        .when(dispatch({ rules, claim: story.action.claim?.revision ?? 0 }))
        .thenRefused('action.claim-lost');
      expect(action.incidents).toHaveLength(1);
    }
  });

  it('the late effect beside a second one is a duplicate', () => {
    settled
      .when(claim({ rules }))
      .when(dispatch({ rules }))
      .when(record(done, { rules }))
      .thenIs('succeeded')
      .when(report({ rules, attempt: 1, externalId: 'r-76' }))
      .then('EvidenceRecorded', {
        type: 'DuplicateEffectDetected',
        data: { externalIds: ['r-77', 'r-76'] },
      })
      .thenIs('succeeded');
  });
});
