// The table of DESIGN.md section 4, written out once more by hand: what a proposal meets, cell by cell.
import { describe, expect, it } from '@jest/globals';
import { fold } from '../../test-support/given.ts';
import { event, forcedFailed, hour, inStatus, minute, start } from '../../test-support/samples.ts';
import {
  answerOf,
  epochsWithoutEffectMax,
  epochTable,
  type LastEpoch,
  mayBeOvertaken,
  meet,
  type Meeting,
  type MeetingProposal,
  repeatHindrance,
  standsFor,
  stateOfLast,
} from './epochs.ts';
import { type ActionEvent, type EventData } from './event.ts';
import { type Action, type ActionStatus } from './state.ts';
import { type Guarantee } from './tool-rules.ts';
import { actionStatuses } from './transitions.ts';

/** An epoch of the chain: its id is its number. */
function epoch(
  number: number,
  events: readonly ActionEvent[],
  changes: Partial<EventData['ActionPlanned']> = {},
  at = start + number,
): Action {
  const planned = events[0]?.type === 'ActionPlanned' ? events[0].data : {};
  const first = event('ActionPlanned', {
    ...(planned as EventData['ActionPlanned']),
    epoch: number,
    call: { run: 'r-1', turn: '1', call: `c-${number}` },
    ...changes,
  });
  return fold([first, ...events.slice(1)], `epoch-${number}`, at);
}

const undone = [...inStatus.succeeded, event('ActionUndone')];
const bySystem = [event('ActionPlanned'), event('ActionCancelled', { person: false })];

const lastAs: {
  readonly [Last in LastEpoch]: readonly (readonly [string, readonly ActionEvent[]])[];
} = {
  open: [
    ['planned', inStatus.planned],
    ['awaiting approval', inStatus.awaiting_approval],
    ['ready', inStatus.ready],
    ['claimed', inStatus.claimed],
    ['dispatched', inStatus.dispatched],
    ['in doubt', inStatus.unknown],
    ['compensating', inStatus.compensating],
  ],
  succeeded: [
    ['succeeded', inStatus.succeeded],
    ['compensation failed', inStatus.compensation_failed],
    ['superseded', inStatus.superseded],
  ],
  undone: [
    ['undone', undone],
    ['compensated', inStatus.compensated],
    [
      'undone after its compensation had failed',
      [...inStatus.compensation_failed, event('ActionUndone')],
    ],
  ],
  ended: [
    ['failed', inStatus.failed],
    ['expired', inStatus.expired],
    ['cancelled by the system', bySystem],
    [
      'denied by an older policy',
      [event('ActionPlanned'), event('ActionDenied', { policyVersion: 'v0' })],
    ],
  ],
  standing: [
    ['rejected', inStatus.rejected],
    ['cancelled by a person', inStatus.cancelled],
    ['denied by this policy', inStatus.denied],
  ],
  forced: [['failed against its doubt', forcedFailed]],
};

type KeyKind = keyof typeof epochTable;
type Column = 'same redelivery' | 'same new call' | 'other redelivery' | 'other new call';
type Cell = 'attach' | 'duplicate' | 'reversed' | 'ending' | 'conflict' | 'open';

/** DESIGN.md section 4, the table and the bullets below it, in the order of `Column`. */
const expected: { readonly [Kind in KeyKind]: { readonly [Last in LastEpoch]: readonly Cell[] } } =
  {
    derived: {
      open: ['attach', 'attach', 'conflict', 'conflict'],
      succeeded: ['duplicate', 'duplicate', 'conflict', 'conflict'],
      undone: ['reversed', 'open', 'conflict', 'open'],
      ended: ['ending', 'open', 'conflict', 'open'],
      standing: ['ending', 'ending', 'conflict', 'open'],
      forced: ['ending', 'ending', 'conflict', 'conflict'],
    },
    natural: {
      open: ['attach', 'attach', 'open', 'open'],
      succeeded: ['duplicate', 'duplicate', 'open', 'open'],
      undone: ['reversed', 'open', 'conflict', 'open'],
      ended: ['ending', 'open', 'conflict', 'open'],
      standing: ['ending', 'ending', 'conflict', 'open'],
      forced: ['ending', 'ending', 'open', 'open'],
    },
    caller: {
      open: ['attach', 'attach', 'conflict', 'conflict'],
      succeeded: ['duplicate', 'duplicate', 'conflict', 'conflict'],
      undone: ['reversed', 'reversed', 'conflict', 'conflict'],
      ended: ['ending', 'ending', 'conflict', 'conflict'],
      standing: ['ending', 'ending', 'conflict', 'conflict'],
      forced: ['ending', 'ending', 'conflict', 'conflict'],
    },
  };
const columns: readonly Column[] = [
  'same redelivery',
  'same new call',
  'other redelivery',
  'other new call',
];

const newCall = { run: 'r-1', turn: '9', call: 'c-99' };

function proposal(kind: KeyKind, changes: Partial<MeetingProposal> = {}): MeetingProposal {
  return {
    argumentsHash: 'hash-1',
    keyKind: kind === 'caller' ? 'caller' : 'derived',
    guarantee: kind === 'natural' ? 'natural' : 'idempotent',
    policyVersion: 'v1',
    ...changes,
  };
}

function cellOf(meeting: Meeting): string {
  if (meeting.kind !== 'answer') return meeting.kind;
  return meeting.as === 'recorded ending' ? 'ending' : meeting.as;
}

const cells = (Object.keys(expected) as KeyKind[]).flatMap((kind) =>
  (Object.keys(lastAs) as LastEpoch[]).flatMap((last) =>
    columns.flatMap((column, index) =>
      lastAs[last].map(([name, events]) => {
        const cell = expected[kind][last][index] ?? 'conflict';
        return [kind, last, name, column, cell, events] as const;
      }),
    ),
  ),
);

describe('an identity without epochs', () => {
  it('opens the first', () => {
    expect(meet([], proposal('derived'))).toEqual({ kind: 'open', epoch: 0 });
    expect(meet([], proposal('caller'))).toEqual({ kind: 'open', epoch: 0 });
  });
});

describe('the last epoch', () => {
  it.each(cells)('%s, %s: %s, %s → %s', (kind, last, _name, column, cell, events) => {
    const same = column.startsWith('same');
    const guarantee: Guarantee = kind === 'natural' ? 'natural' : 'idempotent';
    const l = epoch(3, events, { guarantee });
    expect(stateOfLast(l, 'v1')).toBe(last);
    const meeting = meet([l], {
      ...proposal(kind, { argumentsHash: same ? 'hash-1' : 'hash-2' }),
      ...(column.endsWith('new call') ? { call: newCall } : {}),
    });
    // A redelivery with the same arguments is answered by what is known of the epoch itself.
    const superseded = l.status === 'superseded' && column === 'same redelivery';
    expect(cellOf(meeting)).toBe(superseded ? 'replaced' : cell);
    expect(meeting.epoch).toBe(cell === 'open' ? 4 : 3);
    if (meeting.kind === 'answer') expect(meeting.newCall).toBe(column.endsWith('new call'));
  });

  it('has a row for every status', () => {
    for (const status of actionStatuses) {
      expect(Object.keys(lastAs)).toContain(stateOfLast(fold(inStatus[status]), 'v1'));
    }
  });

  it('is told from the table that decides', () => {
    for (const kind of Object.keys(expected) as KeyKind[]) {
      expect(Object.keys(epochTable[kind]).sort()).toEqual(Object.keys(expected[kind]).sort());
    }
  });
});

describe('a known call', () => {
  const chain = [
    epoch(0, undone),
    epoch(1, inStatus.failed),
    epoch(2, [...inStatus.succeeded, event('CallJoined', { call: newCall })]),
  ];

  it('FW26 gets the outcome of the epoch that knows it, whatever came after', () => {
    const knownBy = (call: string, hash = 'hash-1'): Meeting =>
      meet(
        chain,
        proposal('derived', { argumentsHash: hash, call: { run: 'r-1', turn: '1', call } }),
      );
    expect(knownBy('c-0')).toEqual({ kind: 'answer', epoch: 0, as: 'reversed', newCall: false });
    expect(knownBy('c-1')).toMatchObject({ epoch: 1, as: 'recorded ending' });
    expect(knownBy('c-2')).toMatchObject({ epoch: 2, as: 'duplicate' });
    expect(meet(chain, proposal('derived', { call: newCall }))).toMatchObject({
      epoch: 2,
      newCall: false,
    });
    // The call is the same only together with its arguments.
    expect(knownBy('c-0', 'hash-2')).toEqual({ kind: 'conflict', epoch: 2 });
  });

  it('of a caller’s key gets it too', () => {
    const call = { run: 'r-1', turn: '1', call: 'c-1' };
    expect(meet(chain, proposal('caller', { call }))).toMatchObject({
      epoch: 1,
      as: 'recorded ending',
    });
  });

  it('of an absolute write that a later one has replaced is told so', () => {
    const values = [
      epoch(0, inStatus.succeeded, { guarantee: 'natural' }),
      epoch(1, inStatus.succeeded, { guarantee: 'natural', argumentsHash: 'hash-2' }),
    ];
    const call = { run: 'r-1', turn: '1', call: 'c-0' };
    expect(meet(values, proposal('natural', { call }))).toMatchObject({ epoch: 0, as: 'replaced' });
    const later = values.slice(0, 1).concat(epoch(1, inStatus.ready, { guarantee: 'natural' }));
    expect(meet(later, proposal('natural', { call }))).toMatchObject({ as: 'duplicate' });
  });

  it('of a denied epoch stays denied, whatever the policy says now', () => {
    const denied = [epoch(0, inStatus.denied)];
    const call = { run: 'r-1', turn: '1', call: 'c-0' };
    expect(meet(denied, proposal('derived', { call, policyVersion: 'v2' }))).toMatchObject({
      epoch: 0,
      as: 'recorded ending',
    });
  });
});

describe('a proposal without a call id', () => {
  const chain = [epoch(0, undone), epoch(1, inStatus.succeeded, { argumentsHash: 'hash-2' })];

  it('is a redelivery of the newest epoch with its arguments', () => {
    expect(meet(chain, proposal('derived'))).toMatchObject({ epoch: 0, as: 'reversed' });
    expect(
      meet(chain, proposal('derived', { argumentsHash: 'hash-2', call: { run: 'r-9' } })),
    ).toMatchObject({
      epoch: 1,
      as: 'duplicate',
      newCall: false,
    });
  });

  it('with arguments that no epoch has meets the last one', () => {
    expect(meet(chain, proposal('derived', { argumentsHash: 'hash-3' }))).toEqual({
      kind: 'conflict',
      epoch: 1,
    });
  });
});

describe('FW26 a proposal that is older than the event that settled or undid its action', () => {
  const late = (saidAt: number, more: Partial<MeetingProposal> = {}): MeetingProposal =>
    proposal('derived', { call: { run: 'r-1', turn: '1', call: 'new' }, saidAt, ...more });
  const timed = (number: number, events: readonly ActionEvent[], at: number): Action =>
    epoch(number, events, {}, at);

  it.each([
    ['undone', undone, 'reversed'],
    ['compensated', inStatus.compensated, 'reversed'],
    ['failed', inStatus.failed, 'recorded ending'],
    ['expired', inStatus.expired, 'recorded ending'],
  ] as const)('is a redelivery of what is %s, whatever its call id', (_name, events, as) => {
    const action = timed(0, events, start);
    const endedAt = action.undoneAt ?? action.ending?.at ?? NaN;
    expect(meet([action], late(endedAt))).toEqual({ kind: 'answer', epoch: 0, as, newCall: false });
    expect(meet([action], late(endedAt + 1))).toEqual({ kind: 'open', epoch: 1 });
    // Of other arguments it was a conflict then.
    const other = { argumentsHash: 'other' };
    expect(meet([action], late(endedAt, other))).toEqual({ kind: 'conflict', epoch: 0 });
    expect(meet([action], late(endedAt + 1, other))).toEqual({ kind: 'open', epoch: 1 });
  });

  it('gets the epoch that was the last one then, unless one knows its call', () => {
    const chain = [timed(0, undone, start), timed(1, inStatus.succeeded, start + hour)];
    expect(meet(chain, late(start - minute))).toMatchObject({ epoch: 0, as: 'reversed' });
    expect(meet(chain, late(start + 30 * minute))).toMatchObject({ epoch: 1, as: 'duplicate' });
    const known = late(start - minute, { call: { run: 'r-1', turn: '1', call: 'c-1' } });
    expect(meet(chain, known)).toMatchObject({ epoch: 1, as: 'duplicate' });
  });

  it('FW23 takes the place of no later value', () => {
    const natural = (number: number, at: number, argumentsHash: string): Action =>
      epoch(number, inStatus.succeeded, { guarantee: 'natural', argumentsHash }, at);
    const chain = [natural(0, start, 'hash-1'), natural(1, start + hour, 'hash-2')];
    const asked = { argumentsHash: 'hash-1', guarantee: 'natural' } as const;
    expect(meet(chain, late(start - 1, asked))).toMatchObject({ epoch: 0, as: 'replaced' });
    expect(meet(chain, late(start + 2 * hour, asked))).toEqual({ kind: 'open', epoch: 2 });
    // Another value is a write of its own, whenever the one before has ended.
    for (const events of [inStatus.planned, inStatus.failed, inStatus.succeeded])
      expect(
        meet(
          [epoch(0, events, { guarantee: 'natural' }, start)],
          late(start, { ...asked, argumentsHash: 'hash-2' }),
        ),
      ).toEqual({ kind: 'open', epoch: 1 });
  });

  it('FW23 is refused where another value was proposed after it, unless that ended without effect', () => {
    const value = (events: readonly ActionEvent[], more: Partial<Action> = {}): Action => ({
      ...epoch(0, events, { guarantee: 'natural' }, start),
      ...more,
    });
    const older = { argumentsHash: 'hash-2', guarantee: 'natural' } as const;
    for (const events of [inStatus.ready, inStatus.unknown, inStatus.succeeded])
      expect(meet([value(events)], late(start - 1, older))).toEqual({ kind: 'conflict', epoch: 0 });
    for (const events of [inStatus.failed, inStatus.expired])
      expect(meet([value(events)], late(start - 1, older))).toEqual({ kind: 'open', epoch: 1 });
    // It was planned later than this was said, and said before.
    const waited = value(inStatus.succeeded, { saidAt: start - minute });
    expect(meet([waited], late(start - 1, older))).toEqual({ kind: 'open', epoch: 1 });
  });

  it('waits for no undoer under way: it will be older than what that one brings about', () => {
    const action = timed(0, inStatus.succeeded, start);
    const pendingUndoer = 'undoer';
    for (const saidAt of [start, start + hour])
      expect(meet([action], late(saidAt, { pendingUndoer }))).toMatchObject({ as: 'duplicate' });
  });
});

describe('an epoch that stands for an earlier one', () => {
  const stopped = [
    event('ActionPlanned'),
    event('ActionCancelled', { by: 'ledger', person: false, supersededBy: 'epoch-0' }),
  ];
  const lateSuccess = [...inStatus.failed, event('ActionSucceeded', { attempt: 1 })];

  it('FW29 opens nothing by its ending: the effect is there', () => {
    const chain = [epoch(0, lateSuccess, {}, start + 9), epoch(1, stopped)];
    expect(meet(chain, proposal('derived', { call: newCall }))).toEqual({
      kind: 'answer',
      epoch: 0,
      as: 'duplicate',
      newCall: true,
    });
    expect(meet(chain, proposal('derived', { call: newCall, argumentsHash: 'hash-2' }))).toEqual({
      kind: 'conflict',
      epoch: 0,
    });
    const own = { run: 'r-1', turn: '1', call: 'c-1' };
    expect(meet(chain, proposal('derived', { call: own }))).toMatchObject({
      epoch: 0,
      as: 'duplicate',
    });
  });

  it('is passed over as well where its undoer failed, and gives way once that one is undone', () => {
    const chain = [epoch(0, inStatus.succeeded), epoch(1, stopped)];
    expect(meet(chain, proposal('derived', { call: newCall }))).toMatchObject({ epoch: 0 });
    const later = [epoch(0, undone), epoch(1, stopped)];
    expect(meet(later, proposal('derived', { call: newCall }))).toEqual({ kind: 'open', epoch: 2 });
  });

  it('stands for nothing later, and for nothing outside the chain', () => {
    const edited = epoch(0, [
      event('ActionPlanned'),
      event('ActionCancelled', { supersededBy: 'epoch-1' }),
    ]);
    expect(standsFor([edited, epoch(1, inStatus.ready)], edited)).toBe(edited);
    const elsewhere = epoch(0, [
      event('ActionPlanned'),
      event('ActionCancelled', { supersededBy: 'x' }),
    ]);
    expect(standsFor([elsewhere], elsewhere)).toBe(elsewhere);
    const itself = epoch(0, [
      event('ActionPlanned'),
      event('ActionCancelled', { supersededBy: 'epoch-0' }),
    ]);
    expect(standsFor([itself], itself)).toBe(itself);
  });
});

describe('a success that came late, after the next epoch had been opened', () => {
  const late = epoch(
    0,
    [...inStatus.failed, event('ActionSucceeded', { attempt: 1 })],
    {},
    start + 9,
  );

  it('counts as the last epoch, whatever ended without effect since', () => {
    const chain = [late, epoch(1, inStatus.failed), epoch(2, inStatus.expired)];
    expect(meet(chain, proposal('derived', { call: newCall }))).toMatchObject({
      epoch: 0,
      as: 'duplicate',
    });
  });

  it('does not once it is undone, nor before an epoch that had its own effect', () => {
    const reversed = { ...late, undoneBy: 'undoer' };
    expect(
      meet([reversed, epoch(1, inStatus.failed)], proposal('derived', { call: newCall })),
    ).toEqual({
      kind: 'open',
      epoch: 2,
    });
    expect(
      meet([late, epoch(1, inStatus.succeeded)], proposal('derived', { call: newCall })),
    ).toMatchObject({ epoch: 1 });
  });

  it('is not taken for one where a repeat was opened after it', () => {
    const repeatOf = { action: 'epoch-0', reason: 'once more', by: 'ann' };
    const chain = [epoch(0, inStatus.succeeded), epoch(1, inStatus.failed, { repeatOf })];
    expect(meet(chain, proposal('derived', { call: newCall }))).toEqual({ kind: 'open', epoch: 2 });
  });

  it('is of no account for absolute writes: the last value counts', () => {
    const chain = [
      { ...late, guarantee: 'natural' as const },
      epoch(1, inStatus.failed, { guarantee: 'natural', argumentsHash: 'hash-2' }),
    ];
    expect(meet(chain, proposal('natural', { call: newCall, argumentsHash: 'hash-2' }))).toEqual({
      kind: 'open',
      epoch: 2,
    });
  });
});

describe('at most so many epochs in a row without effect', () => {
  const failed = (count: number, changes: Partial<EventData['ActionPlanned']> = {}): Action[] =>
    Array.from({ length: count }, (_, index) => epoch(index, inStatus.failed, changes));
  const next = proposal('derived', { call: newCall });

  it('opens the tenth, and refuses the eleventh', () => {
    expect(epochsWithoutEffectMax).toBe(10);
    expect(meet(failed(9), next)).toEqual({ kind: 'open', epoch: 9 });
    expect(meet(failed(10), next)).toEqual({ kind: 'exhausted', epoch: 9 });
    expect(meet(failed(10), { ...next, argumentsHash: 'hash-2' })).toMatchObject({
      kind: 'exhausted',
    });
  });

  it('begins again after an effect, also one that was undone', () => {
    expect(meet([...failed(10), epoch(10, undone)], next)).toEqual({ kind: 'open', epoch: 11 });
    const since = Array.from({ length: 9 }, (_, index) => epoch(11 + index, inStatus.expired));
    expect(meet([...failed(10), epoch(10, undone), ...since], next)).toMatchObject({
      kind: 'open',
    });
  });

  it('does not count what an operator repeated, and does not begin again by it', () => {
    const repeatOf = { action: 'epoch-8', reason: 'the bank was down', by: 'ann' };
    const repeats = [9, 10, 11].map((number) => epoch(number, inStatus.failed, { repeatOf }));
    expect(meet([...failed(9), ...repeats], next)).toEqual({ kind: 'open', epoch: 12 });
    const full = failed(10).concat(epoch(10, inStatus.failed, { repeatOf }));
    expect(meet(full, next)).toEqual({ kind: 'exhausted', epoch: 10 });
  });

  it('counts every kind of ending', () => {
    const mixed = ['failed', 'expired', 'cancelled', 'rejected', 'denied'] as const;
    const chain = Array.from({ length: 10 }, (_, index) =>
      epoch(index, inStatus[mixed[index % 5] ?? 'failed']),
    );
    expect(meet(chain, { ...next, argumentsHash: 'hash-2' })).toMatchObject({ kind: 'exhausted' });
  });
});

describe('FW26 while an undoer is under way', () => {
  const chain = [epoch(0, inStatus.succeeded)];
  const pending = { call: newCall, pendingUndoer: 'undoer' };

  it('a new call is planned as the next epoch, after it', () => {
    expect(meet(chain, proposal('derived', pending))).toEqual({
      kind: 'open',
      epoch: 1,
      after: 'undoer',
    });
    expect(meet(chain, proposal('derived', { ...pending, argumentsHash: 'hash-2' }))).toEqual({
      kind: 'open',
      epoch: 1,
      after: 'undoer',
    });
    expect(meet(chain, proposal('natural', { ...pending, argumentsHash: 'hash-2' }))).toMatchObject(
      {
        after: 'undoer',
      },
    );
  });

  it('a redelivery, and any proposal under a caller’s key, gets the recorded outcome', () => {
    expect(meet(chain, proposal('derived', { pendingUndoer: 'undoer' }))).toMatchObject({
      as: 'duplicate',
    });
    expect(meet(chain, proposal('caller', pending))).toMatchObject({ as: 'duplicate' });
  });

  it('nothing waits that would not be reversed', () => {
    expect(meet([epoch(0, inStatus.failed)], proposal('derived', pending))).toEqual({
      kind: 'open',
      epoch: 1,
    });
    expect(meet([epoch(0, inStatus.ready)], proposal('derived', pending))).toMatchObject({
      as: 'attach',
    });
  });
});

describe('what a repeat of a call is told', () => {
  it.each([
    ['ready', 'attach'],
    ['unknown', 'attach'],
    ['succeeded', 'duplicate'],
    ['compensation_failed', 'duplicate'],
    ['compensated', 'reversed'],
    ['superseded', 'replaced'],
    ['failed', 'recorded ending'],
    ['denied', 'recorded ending'],
    ['cancelled', 'recorded ending'],
  ] as const)('%s: %s', (status: ActionStatus, as) => {
    const action = epoch(0, inStatus[status]);
    expect(answerOf(action, [action])).toBe(as);
  });
});

describe('FW23 an absolute write may be overtaken', () => {
  it('when every attempt has answered or passed its in-flight bound', () => {
    const unknown = fold(inStatus.unknown);
    expect(mayBeOvertaken(unknown, minute - 1)).toBe(false);
    expect(mayBeOvertaken(unknown, minute)).toBe(true);
    const answered = fold([
      ...inStatus.dispatched,
      event('ActionOutcomeUnknown', { answered: true }),
    ]);
    expect(mayBeOvertaken(answered, 0)).toBe(true);
    expect(mayBeOvertaken(fold(inStatus.claimed), hour)).toBe(false);
    expect(mayBeOvertaken(fold(inStatus.dispatched), hour)).toBe(false);
    expect(mayBeOvertaken(fold(inStatus.ready), 0)).toBe(true);
    expect(mayBeOvertaken(fold(inStatus.succeeded), 0)).toBe(true);
  });
});

describe('what stands in the way of a repeat', () => {
  const hindrance = (events: readonly ActionEvent[], doubtMs = hour, confirmed = true) =>
    repeatHindrance(fold(events), { doubtMs }, confirmed);

  it.each([
    'succeeded',
    'failed',
    'denied',
    'rejected',
    'expired',
    'cancelled',
    'compensated',
    'compensation_failed',
  ] as const)('nothing where it is %s', (status) => {
    expect(hindrance(inStatus[status], 0, false)).toBeUndefined();
  });

  it.each([
    'planned',
    'awaiting_approval',
    'ready',
    'claimed',
    'compensating',
    'reserved',
  ] as const)('that it is not settled: %s', (status) => {
    expect(hindrance(inStatus[status])).toBe('not settled');
  });

  it.each(['dispatched', 'unknown', 'superseded'] as const)('its doubt: %s', (status) => {
    expect(hindrance(inStatus[status])).toBe('in doubt');
  });

  it('a forced failure until the wait has passed and the double is confirmed', () => {
    expect(hindrance(forcedFailed, minute - 1, true)).toBe('in doubt');
    expect(hindrance(forcedFailed, minute, false)).toBe('in doubt');
    expect(hindrance(forcedFailed, minute, true)).toBeUndefined();
  });
});
