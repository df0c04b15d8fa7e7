// What was really done, by the provider's own count, against what is on record.
import { type Day } from '../day.ts';
import { type ActionStory, type DayRecord, hasSucceeded, standingOf, timesOf } from '../record.ts';

/** No action has two, and none is made by what is not on record. */
export function effectsAtMostOne({ provider }: Day, { actions }: DayRecord): readonly string[] {
  const byKey = new Map([...actions.values()].map((story) => [story.key, story]));
  return provider.tally().flatMap(({ key, effects, requests }) => {
    const story = byKey.get(key);
    if (story === undefined) return [`${requests} requests under ${key}, which is on no record`];
    const dispatches = timesOf(story, 'ActionDispatched').length;
    return [
      ...(effects > 1 ? [`${story.id} has had ${effects} effects`] : []),
      ...(requests > dispatches ? [`${story.id}: ${requests} requests, ${dispatches} sent`] : []),
    ];
  });
}

/** A success on record was one, and an effect is on record or somebody looks for it. */
export function recordsAreTrue(day: Day, { actions }: DayRecord): readonly string[] {
  return [...actions.values()].flatMap((story) => {
    const effects = effectsOf(day, story);
    if (hasSucceeded(story)) return effects > 0 ? [] : [`${story.id} succeeded without an effect`];
    if (effects === 0) return [];
    const { is } = standingOf(story.facts, day.midnight);
    const isReplaced = story.facts.some(({ type }) => type === 'ActionSuperseded');
    return is === 'unknown' || isReplaced ? [] : [`${story.id} had an effect, and is ${is}`];
  });
}

export function effectsOf({ provider }: Day, { tenant, key }: ActionStory): number {
  return key === undefined ? 0 : (provider.tallyOf(tenant, key)?.effects ?? 0);
}

/** Of an absolute write the newest value stands, whatever was sent again after it. */
export function newestValueStands({ provider }: Day, { actions }: DayRecord): readonly string[] {
  const newest = new Map<string, ActionStory>();
  for (const story of actions.values()) {
    if (story.tool !== 'set_quota' || !hasSucceeded(story)) continue;
    const entity = nameOf(story);
    const known = newest.get(entity);
    if (known === undefined || epochOf(story) > epochOf(known)) newest.set(entity, story);
  }
  return [...newest.values()].flatMap((story) => {
    const { account } = story.facts[0]?.data['arguments'] as { readonly account: string };
    const stands = provider.endState(story.tenant, story.tool, JSON.stringify(account));
    const later = [...actions.values()].find(
      (each) => each.key === stands?.key && epochOf(each) > epochOf(story),
    );
    return stands?.key === story.key || later !== undefined
      ? []
      : [
          `${account} of ${story.tenant} is as ${stands?.key ?? 'nobody'} has set it, not ${story.id}`,
        ];
  });
}

function nameOf({ id }: ActionStory): string {
  return id.slice(0, id.lastIndexOf('.'));
}

function epochOf({ id }: ActionStory): number {
  return Number(id.slice(id.lastIndexOf('.') + 1));
}
