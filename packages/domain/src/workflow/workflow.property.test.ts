// Whatever becomes of the steps, and wherever the compensator stops and begins again: each finished step is
// undone once, none before the one after it, and what is left at the end is told.
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decideWorkflow } from './decide.ts';
import { type StepCompensation, type WorkflowEvent } from './event.ts';
import { evolveWorkflow } from './evolve.ts';
import { isToBeUndone, newWorkflow, nextOfCompensation, type Workflow } from './state.ts';

interface StepCase {
  readonly as: 'succeeded' | 'without effect';
  readonly compensation: StepCompensation;
  readonly owned: boolean;
  /** How often its compensation fails before it works; 9: as often as it is tried here. */
  readonly failures: number;
}

const compensations: readonly StepCompensation[] = [
  { kind: 'not needed' },
  { kind: 'impossible' },
  { kind: 'tool', tool: 'undo', arguments: {} },
  { kind: 'declared', tool: 'undo' },
];

const stepCase: fc.Arbitrary<StepCase> = fc.record({
  as: fc.constantFrom('succeeded', 'succeeded', 'without effect'),
  compensation: fc.constantFrom(...compensations),
  owned: fc.boolean(),
  failures: fc.constantFrom(0, 0, 0, 1, 9),
});

const triesMax = 3;

/** Applies a decision as a store would: the events, or what was so before. */
function perform(
  workflow: Workflow,
  command: Parameters<typeof decideWorkflow>[1],
  at: number,
): { readonly workflow: Workflow; readonly events: readonly WorkflowEvent[] } {
  const decision = decideWorkflow(workflow, command, { wallMs: at });
  if (decision.kind === 'refusal') throw new Error(`${decision.code}: ${decision.message}`);
  let next = workflow;
  for (const event of decision.events)
    next = evolveWorkflow(next, event, { revision: next.revision + 1, at });
  return { workflow: next, events: decision.events };
}

function begin(cases: readonly StepCase[], onFailedCompensation: 'stop' | 'go on'): Workflow {
  const start = {
    tenant: 'acme',
    run: 'r',
    onFailedCompensation,
    abandonedAfterMs: 1,
    whenAbandoned: 'operator',
  } as const;
  let { workflow } = perform(newWorkflow('w'), { type: 'StartWorkflow', start }, 0);
  cases.forEach(({ compensation }, place) => {
    const step = String(place);
    const plan = { step, tool: 't', arguments: {}, argumentsHash: '', compensation } as const;
    const identity = { kind: 'step' } as const;
    ({ workflow } = perform(
      workflow,
      { type: 'PlanStep', plan: { ...plan, identity, mayFail: true } },
      1,
    ));
  });
  cases.forEach(({ as, owned }, place) => {
    const step = String(place);
    ({ workflow } = perform(
      workflow,
      { type: 'SettleStep', settled: { step, as, owned, action: `a${step}` } },
      2,
    ));
  });
  return workflow;
}

interface World {
  workflow: Workflow;
  at: number;
  /** Effects of compensations that really happened, in order. */
  readonly undone: string[];
}

/** One step of the compensator, which may be lost between its effect and its record. */
function turn(world: World, cases: readonly StepCase[], isLost: boolean): void {
  world.at += 1;
  const next = nextOfCompensation(world.workflow);
  if (world.workflow.status !== 'compensating') return;
  if (next.kind === 'end') {
    if (!isLost)
      world.workflow = perform(world.workflow, { type: 'EndCompensation' }, world.at).workflow;
    return;
  }
  const { step } = next.step;
  // The compensating action is the same one until it is on record as failed, and acts once.
  const id = `u${step}.${next.step.failedUndos.length}`;
  const { failures = 0 } = cases[Number(step)] ?? {};
  const fails = next.step.failedUndos.length < failures;
  if (!fails && !world.undone.includes(step)) world.undone.push(step);
  if (isLost) return;
  const as = fails ? 'failed' : 'compensated';
  const command = { type: 'RecordStepCompensation', step, as, by: id } as const;
  world.workflow = perform(world.workflow, command, world.at).workflow;
  // Said again, it changes nothing.
  expect(perform(world.workflow, command, world.at).events).toEqual([]);
}

it('every finished step is undone once, in reverse order, wherever it is interrupted', () => {
  fc.assert(
    fc.property(
      fc.array(stepCase, { minLength: 1, maxLength: 6 }),
      fc.constantFrom('stop' as const, 'go on' as const),
      fc.array(fc.boolean(), { maxLength: 40 }),
      (cases, rule, losses) => {
        const world: World = { workflow: begin(cases, rule), at: 3, undone: [] };
        const ask = { type: 'StartCompensation', by: 'ann', reason: 'asked' } as const;
        let lost = 0;
        // Where the first failure stops it, each step that fails once costs a try of its own.
        for (let tries = 0; tries < triesMax + cases.length; tries += 1) {
          world.workflow = perform(world.workflow, ask, world.at).workflow;
          for (let turns = 0; turns < 60 && world.workflow.status === 'compensating'; turns += 1) {
            turn(world, cases, losses[lost] === true);
            lost += 1;
          }
          expect(world.workflow.status).not.toBe('compensating');
          if (world.workflow.status === 'compensated') break;
        }
        check(world, cases, rule);
      },
    ),
    { numRuns: 500 },
  );
});

function check({ workflow, undone }: World, cases: readonly StepCase[], rule: string): void {
  const toUndo = workflow.steps.filter(isToBeUndone).map(({ step }) => step);
  const stuck = toUndo.filter((step) => (cases[Number(step)]?.failures ?? 0) >= triesMax);
  const last = Math.max(-1, ...stuck.map(Number));
  const expected = toUndo
    .filter((step) => !stuck.includes(step) && (rule === 'go on' || Number(step) > last))
    .reverse();
  expect(new Set(undone).size).toBe(undone.length);
  expect([...undone].sort()).toEqual([...expected].sort());
  // One that failed at first comes later where the others go on.
  if (rule === 'stop') expect(undone).toEqual(expected);
  expect(workflow.status).toBe(stuck.length === 0 ? 'compensated' : 'compensation_failed');
  const standing = new Set(workflow.standing.map(({ step }) => step));
  for (const { step, settled, compensation, compensated } of workflow.steps) {
    const hasEffect = settled?.as === 'succeeded' && compensation.kind !== 'not needed';
    expect(standing.has(step)).toBe(hasEffect && compensated?.as !== 'compensated');
  }
  if (stuck.length > 0) expect(workflow.watch).toMatchObject({ owner: 'operator' });
}
