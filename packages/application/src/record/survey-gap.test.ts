// Until when a record is whole: the time before the first thing that is gone, whatever came later.
import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { sealEvents } from '@action-ledger/codec';
import { chainStart } from '@action-ledger/domain';
import {
  createMemoryEventStore,
  type EventStore,
  type RecordedEvent,
  type StoreCondition,
} from '@action-ledger/event-store';
import { readRecoveries, type RecoveryConfirmed, recoveryConfirmed } from '../people/recoveries.ts';
import { surveyGap } from './survey-gap.ts';

const sha256 = (text: string): string => hash('sha256', text, 'base64url');

function eventAt(position: number, more: Partial<RecordedEvent> = {}): RecordedEvent {
  return {
    id: `e${position}`,
    stream: `action-${position}`,
    revision: 0,
    position,
    type: 'ActionPlanned',
    data: '{}',
    metadata: `{"at":${position * 1_000}}`,
    ...more,
  };
}

/** A store that holds these positions alone. */
function storeOf(
  events: readonly RecordedEvent[],
  condition: StoreCondition,
): Pick<EventStore, 'condition' | 'head' | 'readAll' | 'givenUp'> {
  return {
    condition: () => condition,
    head: async () => events.at(-1)?.position ?? 0,
    givenUp: async () => [],
    readAll: async ({ after, max }) =>
      events.filter(({ position }) => position > after).slice(0, max),
  };
}

const survey = (events: readonly RecordedEvent[], more: object = {}) => {
  const head = events.at(-1)?.position ?? 0;
  const recovering = { kind: 'recovering', reason: 'r', mark: head, head, ...more } as const;
  return surveyGap(storeOf(events, recovering));
};

describe('a record is whole', () => {
  it('FW25 until its last event of before what is gone, however late that was noticed', async () => {
    const events = [1, 2, 7, 8].map((position) => eventAt(position));
    expect(await survey(events, { lostAt: 5_000 })).toMatchObject({ knownUntil: 2_000 });
    expect(await survey(events, { lostAt: 500 })).toMatchObject({ knownUntil: 0 });
    expect(await survey(events, { head: 2, lostAt: 9_000 })).toMatchObject({ knownUntil: 2_000 });
  });

  it('until its last event of before the loss was noticed, where nothing says more', async () => {
    const events = [1, 2, 3].map((position) => eventAt(position));
    expect(await survey(events, { head: 2, mark: 9 })).toMatchObject({
      knownUntil: 2_000,
      newestAt: 3_000,
      endedAt: 2,
      mark: 9,
      missing: [],
    });
  });

  it('until the backup was taken, where it is one', async () => {
    expect(await survey([eventAt(1)], { takenAt: 77_000 })).toMatchObject({ knownUntil: 77_000 });
  });

  it('until the first position that is missing, though a backup was taken later', async () => {
    const events = [1, 2, 5, 6, 9].map((position) => eventAt(position));
    expect(await survey(events, { takenAt: 77_000 })).toMatchObject({
      knownUntil: 2_000,
      missing: [
        [3, 4],
        [7, 8],
      ],
    });
  });

  it('until an action that was found lost while the file was open', async () => {
    const events = [1, 2, 3, 4].map((position) => eventAt(position));
    expect(await survey(events, { lost: [[3, 3]] })).toMatchObject({
      knownUntil: 2_000,
      missing: [[3, 3]],
    });
  });

  it('nowhere, where the first events are gone', async () => {
    expect(await survey([eventAt(3)])).toMatchObject({ knownUntil: 0, missing: [[1, 2]] });
  });

  it('past what a person has confirmed before', async () => {
    const data = JSON.stringify({ missing: [[2, 3]] });
    const events = [
      eventAt(1),
      eventAt(4, { stream: 'recovery-0', type: recoveryConfirmed, data }),
      eventAt(5),
    ];
    expect(await survey(events)).toMatchObject({ knownUntil: 5_000, missing: [] });
  });
});

describe('recoveries on record', () => {
  const data: RecoveryConfirmed = {
    by: 'ada',
    reason: 'seen',
    condition: 'c',
    knownUntil: 5,
    head: 1,
    mark: 2,
    missing: [],
  };
  const put = async (
    store: EventStore,
    stream: string,
    more: object,
    spoil = (text: string) => text,
  ): Promise<void> => {
    const context = { sha256, nextId: () => `id-${stream}`, at: 9 };
    const decided = [{ type: recoveryConfirmed, data: { ...data, ...more } }];
    const [event] = sealEvents(context, chainStart(stream), decided).events;
    if (event !== undefined)
      await store.append(stream, 'no stream', [{ ...event, data: spoil(event.data) }]);
  };

  it('are read in order, without those that lost nothing; one that was edited doubts everything', async () => {
    const store = createMemoryEventStore();
    await put(store, 'recovery-0', {});
    await put(store, 'recovery-1', { nothingLost: true });
    await put(store, 'recovery-2', {}, (text) => text.replace('"knownUntil":5', '"knownUntil":6'));
    expect(await readRecoveries(store, sha256)).toEqual([
      { name: 'recovery-0', at: 9, knownUntil: 5, lost: new Set() },
      { name: 'recovery-2', at: Infinity, knownUntil: 0, lost: new Set() },
    ]);
  });
});
