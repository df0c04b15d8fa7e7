// Every command in every status: a refusal appends nothing, what is accepted can always be folded,
// and every code of the table of refusals is given by somebody.
import { describe, expect, it } from '@jest/globals';
import { everyCommand } from '../../test-support/every-command.ts';
import { eventsOf, given, refusalOf, type Story } from '../../test-support/given.ts';
import {
  type Asked,
  day,
  event,
  forcedFailed,
  inStatus,
  resent,
  vote,
} from '../../test-support/samples.ts';
import { actionRefusalCodes } from './decision.ts';
import { type ActionEvent } from './event.ts';
import { isInDoubt } from './state.ts';
import { actionStatuses } from './transitions.ts';

const commands = Object.entries(everyCommand).flatMap(([name, variants]) =>
  variants.map((command, index): readonly [string, Asked] => [`${name} #${index}`, command]),
);

/** States that a status alone does not tell apart. */
const more: Readonly<Record<string, readonly ActionEvent[]>> = {
  'claimed, in doubt': resent.slice(0, -1),
  'dispatched, another attempt in doubt': resent,
  'unknown, a cancel asked for': [...inStatus.unknown, event('CancelRequested')],
  'ready after an absent': [...inStatus.unknown, event('ActionReconciled')],
  'failed against its doubt': forcedFailed,
  'planned after an undoer': [event('ActionPlanned', { after: 'undoer' })],
  'succeeded and undone': [...inStatus.succeeded, event('ActionUndone')],
};

const states: readonly (readonly [string, readonly ActionEvent[]])[] = [
  ...actionStatuses.map((status) => [status, inStatus[status]] as const),
  ...Object.entries(more),
];

describe.each(states)('in %s', (_name, events) => {
  it.each(commands)('%s is refused without a trace or folds', (_command, command) => {
    for (const waited of [0, day - 1, day]) {
      const before = given(...events).wait(waited);
      // `when` folds what was decided: an event that cannot follow throws.
      const after = before.when(command);
      if (after.decision?.kind === 'refusal') {
        expect(after.action).toBe(before.action);
        expect(after.decision.message).not.toBe('');
      }
      expectKept(before, after);
    }
  });
});

function expectKept(before: Story, after: Story): void {
  const forced = eventsOf(after.decision).some(
    (each) => each.type === 'ActionFailed' && each.data.forced !== undefined,
  );
  const settled = ['failed', 'denied', 'rejected', 'expired', 'cancelled'];
  if (forced || after.action === before.action) return;
  if (settled.includes(before.action.status)) return;
  if (settled.includes(after.action.status)) expect(isInDoubt(after.action)).toBe(false);
}

describe('refusals', () => {
  it('are given with every code of the table', () => {
    const codes = new Set(
      states.flatMap(([, events]) =>
        [0, day].flatMap((waited) =>
          commands.map(([, command]) =>
            refusalOf(
              given(...events)
                .wait(waited)
                .when(command).decision,
            ),
          ),
        ),
      ),
    );
    const elsewhere = [
      'action.approval-voted',
      'action.evidence-full',
      'action.joins-full',
      'action.key-window-over',
      'action.nothing-to-ask',
      'action.request-invalid',
      'ledger.recovering',
    ];
    const missing = actionRefusalCodes.filter((code) => !codes.has(code));
    expect(missing).toEqual(elsewhere);
  });

  it('name the action, its status and its revision', () => {
    const { decision } = given(...inStatus.succeeded).when(vote());
    expect(decision).toMatchObject({
      kind: 'refusal',
      code: 'action.status',
      detail: { action: 'action-1', status: 'succeeded', revision: 3 },
    });
  });

  it('of an action that does not exist say so', () => {
    given().when(vote()).thenRefused('action.unknown');
  });
});
