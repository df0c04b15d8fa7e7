import { describe, expect, it } from '@jest/globals';
import { fold, given, type Story } from '../../test-support/given.ts';
import {
  archive,
  day,
  event,
  forcedFailed,
  inStatus,
  report,
  start,
} from '../../test-support/samples.ts';
import { archivableStatuses } from './archive.ts';
import { type ActionEvent } from './event.ts';
import { evolve, ImpossibleEvent } from './evolve.ts';
import { actionStatuses, type ActionStatus } from './index.ts';
import { newAction } from './state.ts';

const old = (...events: readonly ActionEvent[]): Story => given(...events).wait(3 * day);

function markerOf(story: Story): Extract<ActionEvent, { type: 'ActionArchived' }> {
  const last = story.events.at(-1);
  if (last?.type !== 'ActionArchived') throw new Error('Nothing was archived.');
  return last;
}

describe('archiving an action', () => {
  it.each(archivableStatuses)('keeps of one that is %s all that it was', (status) => {
    const before = old(...inStatus[status]);
    const after = before.when(archive()).then('ActionArchived').thenIs(status);
    const { archived, revision, ...kept } = after.action;
    const { revision: through, ...was } = before.action;
    expect(kept).toEqual(was);
    expect(archived).toMatchObject({ file: 'archive-1.ndjson', through, cut: [] });
    expect(revision).toBe(through + 1);
  });

  it('leads to the same state whether or not what came before it is still there', () => {
    const story = old(...inStatus.succeeded, event('CallJoined'), event('EvidenceRecorded'))
      .when(archive({ arguments: { order: 'o-1' }, outcome: { result: null, digest: 'd' } }))
      .then('ActionArchived');
    const { revision, archived: { at = 0 } = {} } = story.action;
    const begun = evolve(newAction('action-1'), markerOf(story), { revision, at });
    expect(begun).toEqual(story.action);
    expect(begun.archived?.cut).toEqual(['arguments', 'result']);
    expect(begun.outcome).toMatchObject({ result: null, digest: 'd' });
  });

  const rest: readonly ActionStatus[] = actionStatuses.filter(
    (status) => !(archivableStatuses as readonly ActionStatus[]).includes(status),
  );
  it.each(rest)('refuses one that is %s', (status) => {
    const code = status === 'new' ? 'action.unknown' : 'action.status';
    old(...inStatus[status])
      .when(archive())
      .thenRefused(code);
  });

  it('refuses one with doubt, with an incident that is open, or that may still be asked for', () => {
    old(...forcedFailed)
      .when(archive())
      .thenRefused('action.in-doubt');
    const incident = event('IncidentOpened');
    old(...inStatus.succeeded, incident)
      .when(archive())
      .thenRefused('action.status');
    old(...inStatus.succeeded, incident, event('IncidentClosed'))
      .when(archive())
      .then('ActionArchived');
    given(...inStatus.succeeded)
      .wait(day - 1)
      .when(archive())
      .thenRefused('action.not-due');
  });

  it('refuses one that moved since it was read, or too lately', () => {
    const story = old(...inStatus.failed);
    story.when(archive({ revisionSeen: 1 })).thenRefused('action.stale-revision');
    story.when(archive({ settledBefore: start })).thenRefused('action.not-due');
  });

  it('does nothing a second time, and keeps on record what happens later', () => {
    const archived = old(...inStatus.failed)
      .when(archive())
      .when(archive())
      .then();
    const late = archived.when(report()).thenIs('succeeded');
    expect(late.action.incidents).toHaveLength(1);
    expect(late.action.archived).toEqual(archived.action.archived);
  });

  it('can be done again when something happened since, and says of both times what was cut', () => {
    const twice = old(...inStatus.succeeded)
      .when(archive({ arguments: {} }))
      .when({ type: 'MarkUndone', by: 'undoer' })
      .wait(day)
      .when(archive({ file: 'archive-2.ndjson' }))
      .then('ActionArchived');
    expect(twice.action).toMatchObject({
      undoneBy: 'undoer',
      archived: { file: 'archive-2.ndjson', through: 5, cut: ['arguments'] },
    });
  });
});

describe('a stream that begins with the event of an archived action', () => {
  const marker = markerOf(old(...inStatus.succeeded).when(archive()));
  const { through } = marker.data;

  it('is known by the id in it: under another name it cannot be folded', () => {
    const place = { revision: through + 1, at: 0 };
    expect(evolve(newAction('action-1'), marker, place).status).toBe('succeeded');
    expect(() => evolve(newAction('action-2'), marker, place)).toThrow(ImpossibleEvent);
  });

  it('stands where it says', () => {
    for (const revision of [0, through, through + 2])
      expect(() => evolve(newAction('action-1'), marker, { revision, at: 0 })).toThrow(
        ImpossibleEvent,
      );
  });

  it('says no other status than the events before it lead to', () => {
    const failed = fold(inStatus.failed);
    expect(() => evolve(failed, marker, { revision: through + 1, at: 0 })).toThrow(ImpossibleEvent);
  });
});
