// A trail made short after every event says the same of its action as one that was kept whole.
import { describe, expect, it } from '@jest/globals';
import { day, event, inStatus, start } from '../../test-support/samples.ts';
import { type ActionEvent } from '../action/event.ts';
import { actionStatuses, eventTypes } from '../action/transitions.ts';
import { actionIdOf, streamOfAction } from '../identity/action-id.ts';
import { type ActionTrail, followTrail, shortenTrail, startTrail } from './action-trail.ts';
import { checkTrail } from './check-action.ts';
import { checkLedger } from './check-ledger.ts';

const id = actionIdOf('k'.repeat(43), 0);
const stream = streamOfAction(id);
const context = { now: start + day };

function trailOf(events: readonly ActionEvent[], isShortened: boolean): ActionTrail {
  const trail = startTrail(stream);
  for (const [revision, each] of events.entries()) {
    followTrail(trail, each, { revision, at: start });
    if (isShortened) shortenTrail(trail);
  }
  return trail;
}

function saidOf(trail: ActionTrail) {
  const { status, revision } = trail.action;
  const broken = checkTrail(stream, trail, context);
  return { status, revision, broken, across: checkLedger([trail.action], context) };
}

describe('a trail made short', () => {
  it.each(actionStatuses)('says the same of an action that is %s, whatever follows', (status) => {
    expect(saidOf(trailOf(inStatus[status], true))).toEqual(
      saidOf(trailOf(inStatus[status], false)),
    );
    for (const type of eventTypes) {
      const events = [...inStatus[status], event(type)];
      expect(saidOf(trailOf(events, true))).toEqual(saidOf(trailOf(events, false)));
    }
  });

  it('lets go of what was planned and of what came of it, but not of the external id', () => {
    const done = event('ActionSucceeded', { result: { text: 'long' }, externalId: 'r-1' });
    const { action } = trailOf([...inStatus.dispatched, done], true);
    expect(action).not.toHaveProperty('arguments');
    expect(action.outcome).toEqual({ result: null, at: 0, externalId: 'r-1' });
  });

  it.each([
    ['a caller’s key', { key: 'k-1' }, { key: 'k-1', argumentsHash: 'hash-1' }],
    ['what it repeats', { repeatOf: { action: id, reason: 'r', by: 'b' } }, { repeatOf: id }],
  ])('keeps what others may ask for: %s', (_, planned, kept) => {
    const events = [event('ActionPlanned', planned), ...inStatus.succeeded.slice(1)];
    expect(trailOf(events, true).action).toMatchObject(kept);
  });

  it('keeps an incident, and that more than one effect was found', () => {
    const later = [event('IncidentOpened'), event('DuplicateEffectDetected')];
    const { action } = trailOf([...inStatus.succeeded, ...later], true);
    expect(action.incidents).toHaveLength(2);
    expect(action.duplicates).toHaveLength(1);
  });

  it('holds no contents while the action is open either', () => {
    const { action } = trailOf([event('ActionPlanned', { arguments: { secret: 'no' } })], true);
    expect(JSON.stringify(action)).not.toContain('secret":"no');
  });
});
