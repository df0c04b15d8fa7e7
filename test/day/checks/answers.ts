// What the agents were told, against what was really done.
import { type Told } from '../agents.ts';
import { type Day } from '../day.ts';
import { type DayRecord } from '../record.ts';
import { effectsOf } from './effects.ts';

const done: ReadonlySet<string> = new Set(['done', 'already-done', 'done-earlier']);
const nothing: ReadonlySet<string> = new Set(['failed-without-effect', 'nothing-done', 'refused']);

/** Told done: there is an effect. Told that nothing was done: there is none. */
export function answersAreTrue(day: Day, { actions }: DayRecord): readonly string[] {
  return day.agents.told.flatMap(({ call, outcome: { word, actionId } }) => {
    const story = actions.get(actionId ?? '');
    if (done.has(word) && story === undefined) return [`${call.call} is ${word} without a record`];
    if (story === undefined) return [];
    // Whether what was replaced had been done before was never known, and is no matter any more.
    if (story.facts.some(({ type }) => type === 'ActionSuperseded')) return [];
    const effects = effectsOf(day, story);
    if (done.has(word) && effects === 0) return [`${call.call} was told "${word}", without effect`];
    if (nothing.has(word) && effects > 0) return [`${call.call} was told "${word}", with effect`];
    return [];
  });
}

/** One call never gets two outcomes, and every call gets an answer. */
export function answersAgree({ agents }: Day): readonly string[] {
  const byCall = new Map<string, Told[]>();
  for (const told of agents.told) {
    const { call, turn } = told.call;
    const known = byCall.get(`${call} ${turn}`);
    if (known === undefined) byCall.set(`${call} ${turn}`, [told]);
    else known.push(told);
  }
  const differing = [...byCall].flatMap(([call, all]) => {
    // What was refused without a record has not been an outcome.
    const settled = all.filter(
      ({ outcome: { word, actionId } }) =>
        done.has(word) || (nothing.has(word) && actionId !== undefined),
    );
    const outcomes = new Set(
      settled.map(({ outcome: { actionId = '', externalId = '', word } }) =>
        [actionId, externalId, done.has(word)].join(' '),
      ),
    );
    return outcomes.size > 1 ? [`${call} was told ${[...outcomes].join(' and ')}`] : [];
  });
  const waiting = agents.waiting();
  return waiting === 0 ? differing : [...differing, `${waiting} calls have no answer`];
}

/** Each of the trips is whole or has left nothing behind. */
export function tripsAreWhole(
  { provider }: Day,
  { others, actions }: DayRecord,
): readonly string[] {
  return others.flatMap(({ stream, facts }) => {
    if (!stream.startsWith('workflow-')) return [];
    const end = facts.findLast(({ type }) => type === 'WorkflowEnded')?.data['as'];
    const settled = facts.filter(({ type }) => type === 'StepSettled');
    const booked = settled
      .map(({ data }) => actions.get(String(data['action'])))
      .filter((story) => story?.key !== undefined)
      .filter((story) => provider.ofKey(story?.tenant ?? '', story?.key ?? '').length > 0);
    const undone = booked.filter((story) =>
      story?.facts.some(({ type }) => type === 'ActionCompensated'),
    );
    if (end === 'completed') return undone.length > 0 ? [`${stream} is done and undone`] : [];
    if (end === 'compensated' && undone.length < booked.length)
      return [`${stream} is undone, and ${booked.length - undone.length} bookings stand`];
    const needsPerson = facts.some(({ type }) => type === 'OwnerAssigned');
    return end !== undefined || needsPerson ? [] : [`${stream} has no end, and nobody has it`];
  });
}
