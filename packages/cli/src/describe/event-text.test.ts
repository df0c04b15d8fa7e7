import { describe, expect, it } from '@jest/globals';
import { type ActionEvent, actionIdOf } from '@action-ledger/domain';
import { eventText } from './event-text.ts';

const at = Date.UTC(2026, 2, 1);
const other = actionIdOf('k'.repeat(43), 1);
const watch = { owner: 'reconciler', nextCheckAt: at + 5_000 } as const;

const told: readonly (readonly [ActionEvent, string])[] = [
  [
    {
      type: 'ActionPlanned',
      data: {
        tenant: 't',
        tool: 'refund',
        epoch: 1,
        identityVersion: 1,
        arguments: { order: 'o' },
        argumentsHash: 'h',
        guarantee: 'lookup',
        validUntil: at + 86_400_000,
        call: { run: 'r', turn: '2', call: 'c' },
        by: 'pat',
      },
    },
    'refund {"order":"o"}, run r, turn 2, call c, for pat, epoch 1, valid for 24 h',
  ],
  [
    {
      type: 'ActionDispatched',
      data: { attempt: 2, downstreamKey: 'd'.repeat(43), deadlineAt: at + 30_000, inFlightMs: 1 },
    },
    'attempt 2 under downstream key dddddddddddd…, deadline 30 s',
  ],
  [
    {
      type: 'AttemptPresumed',
      data: {
        ...watch,
        attempt: 1,
        downstreamKey: 'd',
        inFlightMs: 1,
        recovery: 'recovery-0',
        knownUntil: at,
      },
    },
    'attempt 1 may have been dispatched after 2026-03-01 00:00:00 UTC, where the record of recovery-0 ends',
  ],
  [
    {
      type: 'ActionSucceeded',
      data: { attempt: 1, result: { ok: true }, externalId: 're_1' },
    },
    'attempt 1: {"ok":true} (external id re_1)',
  ],
  [
    { type: 'ActionReconciled', data: { verdict: 'found', by: 'olga', result: 7 } },
    'found by olga; 7',
  ],
  [
    {
      type: 'ReconciliationChecked',
      data: { ...watch, check: 3, verdict: 'error', reason: 'down' },
    },
    'check 3: error, down',
  ],
  [{ type: 'ActionUndone', data: { by: other } }, 'by kkkkkkkkkk.1'],
  [
    { type: 'RetryPlanned', data: { attempt: 1, reason: 'busy', notBefore: at + 1_500 } },
    'attempt 1 without effect: busy, again after 1.5 s',
  ],
  [
    {
      type: 'ActionFailed',
      data: { attempt: 1, reason: 'gone', forced: { by: 'olga' } },
    },
    'attempt 1: gone (forced by olga; its doubt is kept)',
  ],
  [
    {
      type: 'DuplicateEffectDetected',
      data: { ...watch, externalIds: ['a', 'b'], proposal: 'undo b' },
    },
    'effects a and b; undo b',
  ],
];

describe('eventText', () => {
  it.each(told)('%j', (event, text) => {
    expect(eventText(event, at)).toBe(text);
  });

  it('shows what a tool returned without letting it act on the terminal', () => {
    const result = `${String.fromCharCode(27)}[2J`;
    const text = eventText({ type: 'ActionSucceeded', data: { attempt: 1, result } }, at);
    expect(text).toBe('attempt 1: "\\u001b[2J"');
  });

  it('says nothing of a type that only a newer version knows', () => {
    const event = { type: 'ActionTeleported', data: {} } as unknown as ActionEvent;
    expect(eventText(event, at)).toBe('');
  });
});
