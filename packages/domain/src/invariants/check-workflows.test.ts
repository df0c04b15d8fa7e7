// Workflows and actions that contradict each other, each a record that no ledger writes.
import { describe, expect, it } from '@jest/globals';
import { type Action, newAction } from '../action/state.ts';
import { newWorkflow, type Workflow, type WorkflowStep } from '../workflow/state.ts';
import { checkWorkflows } from './check-workflows.ts';

const workflow = { id: 'w', step: 'a' };
const outcome = { result: null, at: 1 };

function step(more: Partial<WorkflowStep> = {}): WorkflowStep {
  return {
    step: 'a',
    tool: 't',
    arguments: {},
    argumentsHash: '',
    compensation: { kind: 'tool', tool: 'undo', arguments: {} },
    identity: { kind: 'step' },
    plannedAt: 1,
    failedUndos: [],
    ...more,
  };
}

const settled = { step: 'a', action: 'a.0', as: 'succeeded', owned: true, at: 1 } as const;
const undone = { as: 'compensated', by: 'u.0' } as const;

function check(
  steps: readonly WorkflowStep[],
  actions: readonly Partial<Action>[],
  more: Partial<Workflow> = {},
  now = 1_000_000,
): readonly string[] {
  const whole: Workflow = { ...newWorkflow('w'), status: 'running', updatedAt: 1, steps, ...more };
  const byId = new Map(
    actions.map((each) => {
      const action = { ...newAction('a.0'), workflow, updatedAt: 1, ...each };
      return [action.id, action];
    }),
  );
  return checkWorkflows(new Map([['w', whole]]), byId, { now }).map(({ detail }) => detail);
}

describe('checkWorkflows', () => {
  it('finds nothing wrong with what agrees', () => {
    expect(check([step({ settled })], [{ status: 'succeeded', outcome }])).toEqual([]);
  });

  it.each<readonly [string, string, Parameters<typeof check>]>([
    [
      'a step without its action',
      'step "a" is planned, and its action does not exist',
      [[step()], []],
    ],
    [
      'an outcome that its workflow does not know',
      'step "a" is not settled, but its action a.0 is succeeded',
      [[step()], [{ status: 'succeeded', outcome }]],
    ],
    [
      'an outcome that the action does not have',
      'step "a" is recorded as succeeded, but its action is failed',
      [[step({ settled })], [{ status: 'failed' }]],
    ],
    [
      'a step that names no action',
      'step "a" names a.0, which does not exist',
      [[step({ settled })], []],
    ],
    [
      'an undo that the action does not know',
      'step "a" is recorded as undone, but its action is succeeded',
      [
        [step({ settled, compensated: { ...undone, at: 2 } })],
        [{ status: 'succeeded', outcome }],
        { status: 'compensated' },
      ],
    ],
    [
      'an undo that its workflow does not know',
      'step "a" is not recorded as undone, but its action is compensated',
      [[step({ settled })], [{ status: 'compensated', outcome }], { status: 'compensated' }],
    ],
    [
      'an action of a step that its workflow does not have',
      'its workflow w has no step "b"',
      [
        [step({ settled })],
        [
          { status: 'succeeded', outcome },
          { id: 'b.0', workflow: { id: 'w', step: 'b' } },
        ],
      ],
    ],
    [
      'an action of no workflow',
      'it belongs to workflow v, which does not exist',
      [
        [step({ settled })],
        [
          { status: 'succeeded', outcome },
          { id: 'b.0', workflow: { id: 'v', step: 'b' } },
        ],
      ],
    ],
    [
      'a failure that nobody owns',
      'it is compensation_failed without owner or next check',
      [[], [], { status: 'compensation_failed' }],
    ],
  ])('finds %s', (_, detail, given) => {
    expect(check(...given)).toEqual([detail]);
  });

  it('gives the other half the time of a sweep', () => {
    expect(check([step()], [], {}, 5_000)).toEqual([]);
  });

  it('finds a step that was undone before the one after it', () => {
    const later = step({ step: 'b', settled: { ...settled, step: 'b', action: 'b.0' } });
    const steps = [step({ settled, compensated: { ...undone, at: 5 } }), later];
    const actions = [
      { status: 'compensated', outcome } as const,
      { id: 'b.0', workflow: { id: 'w', step: 'b' }, status: 'succeeded', outcome } as const,
    ];
    expect(check(steps, actions, { status: 'compensating' })).toEqual([
      '"a" was undone before "b", which came after it',
    ]);
  });
});
