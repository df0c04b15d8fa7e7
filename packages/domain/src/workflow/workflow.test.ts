// Given events, when a command, then events or a refusal: the rules of workflows, one by one.
import { describe, expect, it } from '@jest/globals';
import { type WorkflowCommand } from './command.ts';
import { decideWorkflow } from './decide.ts';
import {
  type StepCompensation,
  type StepPlanned,
  type StepSettled,
  type WorkflowEvent,
} from './event.ts';
import { evolveWorkflow, ImpossibleWorkflowEvent } from './evolve.ts';
import { newWorkflow, nextOfCompensation, standingSteps, type Workflow } from './state.ts';
import { workflowEventTypes, workflowStatuses, workflowTransitions } from './transitions.ts';

const now = { wallMs: 10_000 };
const byTool: StepCompensation = { kind: 'tool', tool: 'cancel', arguments: {} };

const started: WorkflowEvent = {
  type: 'WorkflowStarted',
  data: {
    tenant: 'acme',
    name: 'trip-7',
    input: { day: 'Monday' },
    onFailedCompensation: 'stop',
    abandonedAfterMs: 1_000,
    whenAbandoned: 'operator',
  },
};

function plan(step: string, more: Partial<StepPlanned> = {}): StepPlanned {
  return {
    step,
    tool: `book_${step}`,
    arguments: {},
    argumentsHash: 'h',
    compensation: byTool,
    identity: { kind: 'step' },
    ...more,
  };
}

function planned(step: string, more: Partial<StepPlanned> = {}): WorkflowEvent {
  return { type: 'StepPlanned', data: plan(step, more) };
}

function settled(
  step: string,
  as: StepSettled['as'] = 'succeeded',
  more: Partial<StepSettled> = {},
): Extract<WorkflowEvent, { type: 'StepSettled' }> {
  const data: StepSettled = { step, as, action: `${step}.0`, owned: true, ...more };
  return { type: 'StepSettled', data };
}

const undo = (step: string, as: 'compensated' | 'failed' = 'compensated'): WorkflowEvent => ({
  type: 'StepCompensated',
  data: { step, as, by: `undo-${step}.0` },
});

const compensation = (from?: string): WorkflowEvent => ({
  type: 'CompensationStarted',
  data: { by: 'ann', reason: 'asked', ...(from === undefined ? {} : { from }) },
});

function given(...events: readonly WorkflowEvent[]): Workflow {
  let workflow = newWorkflow('w');
  for (const event of events)
    workflow = evolveWorkflow(workflow, event, { revision: workflow.revision + 1, at: 1_000 });
  return workflow;
}

function when(workflow: Workflow, command: WorkflowCommand): readonly WorkflowEvent[] | string {
  const decision = decideWorkflow(workflow, command, now);
  return decision.kind === 'accepted' ? decision.events : decision.code;
}

const done = [started, planned('a'), settled('a'), planned('b'), settled('b')];

describe('a workflow', () => {
  it('is started once; again with the same input changes nothing, with another it is a conflict', () => {
    const start = (input: string): WorkflowCommand => ({
      type: 'StartWorkflow',
      start: { ...(started.data as object), input: { day: input } } as never,
    });
    expect(when(newWorkflow('w'), start('Monday'))).toMatchObject([{ type: 'WorkflowStarted' }]);
    expect(when(given(started), start('Monday'))).toEqual([]);
    expect(when(given(started), start('Friday'))).toBe('workflow.differs');
  });

  it('knows nothing before it is started', () => {
    const command = { type: 'PlanStep', plan: plan('a') } as const;
    expect(when(newWorkflow('w'), command)).toBe('workflow.unknown');
  });

  it.each([
    ['tool', { tool: 'other' }],
    ['arguments', { argumentsHash: 'other' }],
    ['compensation', { compensation: { kind: 'impossible' } as const }],
    ['mayFail', { mayFail: true as const }],
    ['identity', { identity: { kind: 'tool' } as const }],
  ])('a step that is on record with another %s is a conflict', (part, more) => {
    const decision = decideWorkflow(
      given(started, planned('a')),
      { type: 'PlanStep', plan: plan('a', more) },
      now,
    );
    expect(decision).toMatchObject({ code: 'workflow.differs', detail: { differs: [part] } });
  });

  it('a step that is on record is no new event, whatever has become of the workflow', () => {
    const command = { type: 'PlanStep', plan: plan('a') } as const;
    expect(when(given(started, planned('a')), command)).toEqual([]);
    expect(when(given(...done, compensation()), command)).toEqual([]);
    const other = { type: 'PlanStep', plan: plan('c') } as const;
    expect(when(given(...done, compensation()), other)).toBe('workflow.status');
  });

  it('a step that ends without effect fails it in the same append; one that may fail does not', () => {
    const failed = settled('b', 'without effect', { reason: 'no rooms' });
    const command = { type: 'SettleStep', settled: failed.data } as const;
    const before = [started, planned('a'), settled('a')];
    expect(when(given(...before, planned('b')), command)).toEqual([
      failed,
      {
        type: 'CompensationStarted',
        data: {
          by: 'ledger',
          reason: 'step "b" ended without effect: no rooms',
          failedStep: 'b',
        },
      },
    ]);
    expect(when(given(...before, planned('b', { mayFail: true })), command)).toEqual([failed]);
  });

  it('a settled step is settled, but for a success that comes late', () => {
    const lost = given(started, planned('a'), settled('a', 'without effect'));
    const late = { type: 'SettleStep', settled: settled('a').data } as const;
    expect(when(lost, late)).toMatchObject([{ type: 'StepSettled', data: { as: 'succeeded' } }]);
    const failed = { type: 'SettleStep', settled: settled('a', 'without effect').data } as const;
    expect(when(given(...done), failed)).toEqual([]);
  });

  it('is completed only when every step is settled', () => {
    const command = { type: 'CompleteWorkflow', result: { result: 1 } } as const;
    expect(when(given(started, planned('a')), command)).toBe('workflow.step-unsettled');
    expect(when(given(...done), command)).toMatchObject([{ data: { as: 'completed', result: 1 } }]);
    expect(when(given(...done, compensation()), command)).toBe('workflow.status');
  });

  it('that is complete stays so: with the same result once more, and no other, and is not given up', () => {
    const command = { type: 'CompleteWorkflow', result: { result: 1 } } as const;
    const ended: WorkflowEvent = { type: 'WorkflowEnded', data: { as: 'completed', result: 1 } };
    const completed = given(...done, ended);
    expect(when(completed, command)).toEqual([]);
    expect(when(completed, { ...command, result: { result: 2 } })).toBe('workflow.differs');
    expect(when(completed, { ...command, result: { result: 1, digest: 'd' } })).toBe(
      'workflow.differs',
    );
    const fail = {
      type: 'StartCompensation',
      by: 'program',
      reason: 'x',
      onlyRunning: true,
    } as const;
    expect(when(completed, fail)).toBe('workflow.status');
    expect(when(given(...done, compensation()), fail)).toEqual([]);
  });

  it('that is being undone is not begun again, but further back, by another rule, or where it failed', () => {
    const ask = { type: 'StartCompensation', by: 'ann', reason: 'asked' } as const;
    const undoing = given(...done, compensation('b'));
    expect(when(undoing, { ...ask, from: 'b' })).toEqual([]);
    expect(when(undoing, ask)).toEqual([compensation()]);
    expect(when(given(...done, compensation()), ask)).toEqual([]);
    expect(when(undoing, { ...ask, from: 'b', onFailedCompensation: 'stop' })).toEqual([]);
    expect(when(undoing, { ...ask, from: 'b', onFailedCompensation: 'go on' })).toHaveLength(1);
    const failed = given(...done, compensation(), undo('b', 'failed'));
    expect(when(failed, ask)).toEqual([compensation()]);
  });

  it('a kept step that leaves nothing behind does not stand', () => {
    const look = planned('look', { compensation: { kind: 'not needed' } });
    const workflow = given(started, look, settled('look'), ...done.slice(1), compensation('b'));
    expect(standingSteps(workflow).map(({ step }) => step)).toEqual(['b', 'a']);
  });

  it('is undone backwards, and no step before its turn', () => {
    const workflow = given(...done, compensation());
    const record = (step: string): WorkflowCommand => ({
      type: 'RecordStepCompensation',
      step,
      as: 'compensated',
      by: `undo-${step}.0`,
    });
    expect(nextOfCompensation(workflow)).toMatchObject({ kind: 'undo', step: { step: 'b' } });
    expect(when(workflow, record('a'))).toBe('workflow.status');
    expect(when(workflow, record('b'))).toEqual([undo('b')]);
    expect(when(given(...done, compensation(), undo('b')), record('b'))).toEqual([]);
    expect(when(given(...done, compensation(), undo('b')), { type: 'EndCompensation' })).toBe(
      'workflow.step-unsettled',
    );
  });

  it('a step in doubt holds back those before it', () => {
    const workflow = given(started, planned('a'), settled('a'), planned('b'), compensation());
    expect(nextOfCompensation(workflow)).toMatchObject({ kind: 'wait', step: { step: 'b' } });
  });

  it('names what stands at its end', () => {
    const workflow = given(
      started,
      planned('mail', { compensation: { kind: 'impossible' } }),
      settled('mail'),
      planned('look', { compensation: { kind: 'not needed' } }),
      settled('look'),
      planned('shared'),
      settled('shared', 'succeeded', { owned: false }),
      planned('c'),
      settled('c', 'without effect'),
    );
    const undone = given(...done, compensation());
    expect(standingSteps(undone)).toHaveLength(2);
    const end = when({ ...workflow, status: 'compensating' }, { type: 'EndCompensation' });
    expect(end).toMatchObject([
      {
        data: {
          as: 'compensated',
          standing: [
            { step: 'shared', why: 'it belongs to shared.0, which this workflow did not create' },
            { step: 'mail', why: 'it cannot be undone' },
          ],
        },
      },
    ]);
  });

  it.each([
    ['stop', { kind: 'end', as: 'compensation_failed' }],
    ['go on', { kind: 'undo', step: { step: 'a' } }],
  ] as const)('where a compensation fails and the rule is "%s"', (rule, next) => {
    const workflow = given(...done, compensation(), undo('b', 'failed'));
    expect(nextOfCompensation({ ...workflow, onFailedCompensation: rule })).toMatchObject(next);
  });

  it('one that failed has an owner and a next check, and is tried again when somebody asks', () => {
    const failed = given(...done, compensation(), undo('b', 'failed'));
    const [end] = when(failed, { type: 'EndCompensation' }) as readonly WorkflowEvent[];
    expect(end).toMatchObject({ data: { owner: 'operator', nextCheckAt: 86_410_000 } });
    const again = given(...done, compensation(), undo('b', 'failed'), end as never, compensation());
    expect(nextOfCompensation(again)).toMatchObject({ kind: 'undo', step: { step: 'b' } });
    expect(again.steps[1]?.failedUndos).toEqual(['undo-b.0']);
  });

  it('is undone from a step on, and further back when somebody asks for more', () => {
    const part = given(...done, compensation('b'), undo('b'));
    const [end] = when(part, { type: 'EndCompensation' }) as readonly WorkflowEvent[];
    expect(end).toMatchObject({ data: { as: 'compensated', standing: [{ step: 'a' }] } });
    const ended = given(...done, compensation('b'), undo('b'), end as never);
    const ask = (from?: string): WorkflowCommand => ({
      type: 'StartCompensation',
      by: 'ann',
      reason: 'asked',
      ...(from === undefined ? {} : { from }),
    });
    expect(when(ended, ask('b'))).toEqual([]);
    expect(when(ended, ask())).toEqual([compensation()]);
    expect(when(ended, ask('z'))).toBe('workflow.step-unknown');
  });

  it('a command from a stale page is refused', () => {
    const command = { type: 'StartCompensation', by: 'ann', reason: 'asked' } as const;
    const workflow = given(...done);
    expect(when(workflow, { ...command, revisionSeen: 3 })).toBe('workflow.stale-revision');
    expect(when(workflow, { ...command, revisionSeen: 4 })).toEqual([compensation()]);
  });

  it('a late success in one that was undone is undone as well', () => {
    const before = [started, planned('a'), settled('a', 'without effect'), compensation()];
    const [end] = when(given(...before), { type: 'EndCompensation' }) as readonly WorkflowEvent[];
    const late = given(...before, end as never, settled('a'));
    expect(late.status).toBe('compensating');
    expect(nextOfCompensation(late)).toMatchObject({ kind: 'undo', step: { step: 'a' } });
  });
});

describe('the table of transitions', () => {
  it.each(workflowStatuses)('in %s allows what it says, and nothing else', (status) => {
    const allowed = workflowEventTypes.filter(
      (type) => workflowTransitions(status, type).length > 0,
    );
    const byStatus: Readonly<Record<string, readonly string[]>> = {
      new: ['WorkflowStarted'],
      running: [
        'StepPlanned',
        'StepSettled',
        'CompensationStarted',
        'OwnerAssigned',
        'WorkflowEnded',
      ],
      completed: ['StepSettled', 'CompensationStarted'],
      compensating: [
        'StepSettled',
        'CompensationStarted',
        'StepCompensated',
        'OwnerAssigned',
        'WorkflowEnded',
      ],
      compensated: ['StepSettled', 'CompensationStarted'],
      compensation_failed: [
        'StepSettled',
        'CompensationStarted',
        'StepCompensated',
        'OwnerAssigned',
      ],
    };
    expect([...allowed].sort()).toEqual([...(byStatus[status] ?? [])].sort());
  });

  it.each([
    ['an event out of turn', [started, started]],
    ['a step that is planned twice', [started, planned('a'), planned('a')]],
    ['an outcome of no step', [started, settled('a')]],
    ['a compensation from no step', [started, compensation('z')]],
    ['a type that nobody knows', [{ type: 'Other', data: {} } as never]],
  ])('refuses %s', (_, events) => {
    expect(() => given(...events)).toThrow(ImpossibleWorkflowEvent);
  });
});
