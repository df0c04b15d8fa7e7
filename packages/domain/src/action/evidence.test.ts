import { describe, expect, it } from '@jest/globals';
import { given } from '../../test-support/given.ts';
import {
  cancel,
  claim,
  day,
  dispatch,
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
  start,
  timeout,
  watchedFor,
} from '../../test-support/samples.ts';
import { decide } from './decide.ts';
import { evidenceMax, evidenceSizeMax } from './evidence.ts';
import { type ActionStatus } from './state.ts';
import { defaultRetry } from './tool-rules.ts';
import { actionStatuses } from './transitions.ts';

/** What a proven success brings about in each status, beside the evidence. */
const lateSuccess: Readonly<Record<ActionStatus, readonly string[] | 'refused'>> = {
  new: 'refused',
  reserved: 'refused',
  planned: ['ActionSucceeded'],
  awaiting_approval: ['ActionSucceeded'],
  ready: ['ActionSucceeded'],
  claimed: ['ActionSucceeded'],
  dispatched: [],
  unknown: ['ActionSucceeded'],
  succeeded: [],
  failed: ['ActionSucceeded', 'IncidentOpened'],
  denied: ['ActionSucceeded', 'IncidentOpened'],
  rejected: ['ActionSucceeded', 'IncidentOpened'],
  expired: ['ActionSucceeded', 'IncidentOpened'],
  cancelled: ['ActionSucceeded', 'IncidentOpened'],
  superseded: ['ActionSucceeded', 'IncidentOpened'],
  compensating: [],
  compensated: [],
  compensation_failed: [],
};

describe('a proven success from anyone but the claim’s holder', () => {
  it.each(actionStatuses)('in %s', (status) => {
    const story = given(...inStatus[status]).when(report());
    const expected = lateSuccess[status];
    if (expected === 'refused') {
      expect(story.decision?.kind).toBe('refusal');
      return;
    }
    expect(story.events.slice(inStatus[status].length).map(({ type }) => type)).toEqual([
      'EvidenceRecorded',
      ...expected,
    ]);
    if (!expected.includes('ActionSucceeded')) story.thenIs(status);
    else expect(story.action.outcome).toEqual({ result: null, externalId: 'r-77', at: start });
  });

  it('keeps the recorded result of what had succeeded', () => {
    const { action } = given(...inStatus.succeeded).when(report({ data: { refund: 'other' } }));
    expect(action.outcome?.result).toEqual({ refund: 'r-77' });
  });

  it('F086 names its attempt; a name that no attempt has is not taken over', () => {
    given(...inStatus.unknown)
      .when(report({ attempt: 1, data: { refund: 'r-77' } }))
      .then('EvidenceRecorded', {
        type: 'ActionSucceeded',
        data: { attempt: 1, source: 'webhook', result: { refund: 'r-77' } },
      });
    const { events } = given(...inStatus.unknown).when(report({ attempt: 9 }));
    expect(events.at(-1)?.data).not.toHaveProperty('attempt');
  });

  it('against a refusal on record opens an incident', () => {
    given(...inStatus.dispatched, event('AttemptNotSent'))
      .when(report({ attempt: 1 }))
      .then('EvidenceRecorded', 'ActionSucceeded', 'IncidentOpened');
  });

  it('takes the claim away: whoever held it sends nothing more', () => {
    expect(given(...inStatus.claimed).when(report()).action.claim).toBeUndefined();
  });

  it('twice is one effect and one report; with a second external id it is two', () => {
    given(...inStatus.unknown)
      .when(report())
      .when(report())
      .then()
      .when(report({ externalId: 'r-78' }))
      .then('EvidenceRecorded', {
        type: 'DuplicateEffectDetected',
        data: { externalIds: ['r-77', 'r-78'], owner: 'operator', nextCheckAt: start + day },
      })
      .when(report({ externalId: 'r-78' }))
      .then();
  });

  it.each([
    ['its own id, whatever the data', { id: 'evt-1', data: 1 }, { id: 'evt-1', data: 2 }, true],
    ['another id, and the same words', { id: 'evt-1' }, { id: 'evt-2' }, false],
    ['the same data in another order', { data: { a: 1, b: 2 } }, { data: { b: 2, a: 1 } }, true],
    ['other data', { data: { a: 1 } }, { data: { a: 2 } }, false],
    ['of another reporter', { id: 'evt-1' }, { id: 'evt-1', source: 'ann' }, false],
    ['proven at last', { proven: false }, { proven: true }, false],
    ['no data, and null', {}, { data: null }, true],
  ] as const)('counts once or not: %s', (_what, first, second, isOnce) => {
    const { events } = given(...inStatus.succeeded)
      .when(report(first))
      .when(report(second));
    const recorded = events.filter(({ type }) => type === 'EvidenceRecorded');
    expect(recorded).toHaveLength(isOnce ? 1 : 2);
  });
});

describe('what proves nothing', () => {
  it('is kept as a note', () => {
    const { action } = given(...inStatus.unknown)
      .when(report({ proven: false, data: 'looks done' }))
      .then({ type: 'EvidenceRecorded', data: { claims: 'note', data: 'looks done' } })
      .thenIs('unknown');
    expect(action.evidence).toHaveLength(1);
  });

  it('FW30 F086 a refusal by key or reference settles no attempt', () => {
    for (const status of ['unknown', 'dispatched', 'succeeded', 'ready'] as const) {
      const { action } = given(...inStatus[status])
        .when(report({ claims: 'refusal', attempt: 1 }))
        .then({ type: 'EvidenceRecorded', data: { claims: 'refusal', attempt: 1 } })
        .thenIs(status);
      expect(action.attempts).toEqual(given(...inStatus[status]).action.attempts);
    }
  });
});

describe('what is said of one action', () => {
  const note = (id: string, size = 0): ReturnType<typeof report> =>
    report({ claims: 'note', id, data: 'x'.repeat(size) });

  it('is bounded in number, and a proven success is taken all the same', () => {
    const { action } = given(...inStatus.unknown).when(note('0'));
    const [first] = action.evidence;
    if (first === undefined) throw new Error('it is evidence');
    const full = {
      ...action,
      evidence: Array.from({ length: evidenceMax }, (_, n) => ({ ...first, id: `${n}` })),
    };
    const decided = (command: ReturnType<typeof report>): unknown =>
      decide(full, command, { wallMs: start + hour });
    expect(decided(note('more'))).toMatchObject({ code: 'action.evidence-full' });
    expect(decided(note('7'))).toMatchObject({ kind: 'accepted', events: [] });
    expect(decided(report())).toMatchObject({
      events: [{ type: 'EvidenceRecorded' }, { type: 'ActionSucceeded' }],
    });
  });

  it('is bounded in size', () => {
    const half = evidenceSizeMax / 2 - 1_000;
    given(...inStatus.unknown)
      .when(note('1', half))
      .when(note('2', half))
      .then('EvidenceRecorded')
      .when(note('3', 2_000))
      .thenRefused('action.evidence-full')
      .when(report({ data: 'x'.repeat(half) }))
      .thenIs('succeeded');
  });
});

describe('the provider says that it never had an effect for our key', () => {
  const never = (changes = {}): ReturnType<typeof report> =>
    report({ claims: 'refusal', neverHadEffect: true, watched: watchedFor(minute), ...changes });

  it('settles the doubt', () => {
    given(...inStatus.unknown)
      .when(never())
      .then('EvidenceRecorded', {
        type: 'ActionReconciled',
        data: { verdict: 'absent', by: 'webhook' },
      })
      .thenIs('ready');
  });

  it('FW18 is only evidence while a request may be under way', () => {
    given(...inStatus.unknown)
      .when(never({ watched: watchedFor(minute - 1) }))
      .then('EvidenceRecorded')
      .thenIs('unknown');
    given(...inStatus.dispatched)
      .when(never())
      .then('EvidenceRecorded')
      .thenIs('dispatched');
  });

  it('said too early, settles when it is said again', () => {
    given(...inStatus.unknown)
      .wait(second)
      .when(never({ watched: watchedFor(minute - 1) }))
      .when(never())
      .then({ type: 'ActionReconciled', data: { verdict: 'absent' } })
      .thenIs('ready');
  });

  it.each([
    ['by its own id', { id: 'evt-1' }],
    ['word for word', {}],
  ])('FW30 what was said before the last dispatch settles nothing when repeated %s', (_how, id) => {
    const story = given(...inStatus.dispatched)
      .wait(second)
      .when(never(id))
      .then('EvidenceRecorded');
    story
      .when(record(timeout))
      .wait(2 * minute)
      .when(claim({ watched: watchedFor(2 * minute) }))
      .when(dispatch())
      .when(record(timeout))
      .thenIs('unknown')
      .wait(hour)
      .when(never({ ...id, watched: watchedFor(hour) }))
      .then()
      .thenIs('unknown')
      .when(never({ id: 'evt-2', watched: watchedFor(hour) }))
      .then('EvidenceRecorded', 'ActionReconciled');
  });

  it('FW20 waits as long as an absent of a lookup: the provider may lag behind its own writes', () => {
    const rules = rulesFor('lookup');
    const story = given(plannedFor('lookup'), ...inStatus.unknown.slice(1));
    const { settleMs } = rules;
    story
      .when(never({ rules, watched: watchedFor(minute + settleMs - 1) }))
      .then('EvidenceRecorded')
      .when(never({ rules, id: 'later', watched: watchedFor(minute + settleMs) }))
      .then('EvidenceRecorded', 'ActionReconciled');
  });

  it('FW30 said before the dispatch and matched after it, a repeat settles nothing', () => {
    const early = given(...inStatus.unknown).action.attempts[0]?.dispatchedAt ?? 0;
    given(...inStatus.unknown)
      .wait(second)
      .when(never({ neverHadEffect: false, saidAt: early - 1 }))
      .then({ type: 'EvidenceRecorded', data: { saidAt: early - 1 } })
      .wait(hour)
      .when(never())
      .then()
      .thenIs('unknown');
    given(...inStatus.unknown)
      .wait(second)
      .when(never({ neverHadEffect: false, saidAt: early + 1 }))
      .when(never())
      .thenIs('ready');
  });

  it('FW30 said in the very millisecond of the dispatch, a repeat is not known to be of it', () => {
    given(...inStatus.unknown)
      .when(never({ watched: watchedFor(minute - 1) }))
      .wait(hour)
      .when(never())
      .then()
      .thenIs('unknown');
  });

  it('FW30 about one attempt settles it only where no other is in doubt', () => {
    const twoInDoubt = given(...resent).when(record(timeout));
    for (const attempt of [1, 2, 3])
      twoInDoubt.when(never({ attempt })).then('EvidenceRecorded').thenIs('unknown');
    given(...inStatus.unknown)
      .when(never({ attempt: 2 }))
      .then('EvidenceRecorded')
      .thenIs('unknown');
    given(...inStatus.unknown)
      .when(never({ attempt: 1 }))
      .then('EvidenceRecorded', 'ActionReconciled');
    twoInDoubt.when(never()).then('EvidenceRecorded', 'ActionReconciled');
  });

  it('is only evidence in any other words, or where it is not proven', () => {
    for (const changes of [
      { claims: 'note' as const },
      { neverHadEffect: false },
      { proven: false },
    ]) {
      given(...inStatus.unknown)
        .when(never(changes))
        .then('EvidenceRecorded')
        .thenIs('unknown');
    }
  });

  it.each([
    ['manual', given(plannedFor('manual'), ...inStatus.unknown.slice(1)), {}, 0, 'failed'],
    ['a cancel asked for', given(...inStatus.unknown).when(cancel()), {}, 0, 'cancelled'],
    ['too old', given(...inStatus.unknown), {}, day, 'expired'],
    [
      'out of tries',
      given(...inStatus.unknown),
      { rules: rulesFor('idempotent', { retry: { ...defaultRetry, attemptsMax: 1 } }) },
      0,
      'failed',
    ],
  ] as const)('ends the action where it is %s', (_name, story, changes, waited, status) => {
    story.wait(waited).when(never(changes)).thenIs(status);
  });
});

describe('incidents', () => {
  const detect = {
    type: 'DetectDuplicate',
    externalIds: ['r-77'],
    other: 'next',
    proposal: 'undo one',
  } as const;

  it('a duplicate effect is one incident, however often it is detected', () => {
    const { action } = given(...inStatus.succeeded)
      .when(detect)
      .then({ type: 'DuplicateEffectDetected', data: { other: 'next', owner: 'operator' } })
      .when(detect)
      .then()
      .when({ ...detect, other: 'another' })
      .then('DuplicateEffectDetected');
    expect(action.incidents.map(({ incident }) => incident)).toEqual([
      'duplicate-4',
      'duplicate-5',
    ]);
    given(...inStatus.reserved)
      .when(detect)
      .thenRefused('action.status');
  });

  it('are closed by name, with a reason, from a page that is not stale', () => {
    const story = given(...inStatus.succeeded).when(detect);
    const close = { type: 'CloseIncident', by: 'ann', reason: 'undone' } as const;
    story
      .when({ ...close, incident: 'duplicate-4', revisionSeen: 3 })
      .thenRefused('action.stale-revision')
      .when({ ...close, incident: 'duplicate-9', revisionSeen: 4 })
      .thenRefused('action.incident-unknown')
      .when({ ...close, incident: 'duplicate-4', revisionSeen: 4 })
      .then('IncidentClosed')
      .when(detect)
      .then();
  });

  it('FW23 a superseded write that lands late is one', () => {
    given(...inStatus.superseded)
      .wait(hour)
      .when(report())
      .then('EvidenceRecorded', 'ActionSucceeded', 'IncidentOpened');
  });

  it('stay beside a resend in doubt that another report settles', () => {
    given(...resent)
      .when(report())
      .then('EvidenceRecorded')
      .thenIs('dispatched');
  });
});
