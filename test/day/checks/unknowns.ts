// What is not known has an owner and a next check, at every moment of the day, and is checked when that
// says, neither sooner nor much later.
import { type Day } from '../day.ts';
import { type ActionStory, type DayRecord, nextStanding, type Standing } from '../record.ts';
import { type Paused, pausedWithin, pausesIn } from './pauses.ts';
import { awayWithin, hour, minute, second } from '../times.ts';

/** A sweep, a lookup that is not answered, and the append after it. */
const lateMax = 5 * second + 30 * second + 5 * second;

export function unknownsAreOwned(day: Day, { actions, others }: DayRecord): readonly string[] {
  const end = day.time.clock.monoMs();
  const pauses = pausesIn(others);
  return [...actions.values()].flatMap((story) => {
    let standing: Standing = { is: 'open' };
    const problems: string[] = [];
    for (const fact of story.facts) {
      problems.push(...checkLate(story, standing, fact.at, pauses));
      standing = nextStanding(standing, fact, day.midnight);
      if (standing.is === 'unknown' && standing.nextCheckAt === undefined)
        problems.push(`${story.id} is unknown at ${fact.at} without owner or next check`);
    }
    return [...problems, ...checkLate(story, standing, end, pauses)];
  });
}

/** It was to be looked at before `until`, and nothing was said about it. */
function checkLate(
  { id, tool, guarantee }: ActionStory,
  { nextCheckAt }: Standing,
  until: number,
  pauses: readonly Paused[],
): readonly string[] {
  if (nextCheckAt === undefined || until < nextCheckAt) return [];
  // Where it could only be sent again it waits for the end of a pause, and with a new process anew.
  const away = awayWithin(nextCheckAt, until);
  const again = awayWithin(nextCheckAt - minute, until) > 0 ? minute : 0;
  const paused = pausedWithin(pauses, tool, nextCheckAt, until);
  // An absolute write with a later epoch waits until no request can arrive, and is then replaced.
  const replaced = guarantee === 'natural' ? minute : 0;
  const lateMs = until - nextCheckAt - away - again - paused - replaced;
  return lateMs > lateMax ? [`${id} was to be checked ${lateMs} ms before ${until}`] : [];
}

/** Checks are spaced as the policy says: from 5 s, doubled by each, to an hour. */
export function checksAreSpaced({ midnight }: Day, { actions }: DayRecord): readonly string[] {
  return [...actions.values()].flatMap(({ id, facts }) => {
    const checks = facts.filter(({ type }) => type === 'ReconciliationChecked');
    return checks.flatMap(({ at, data, revision }, index) => {
      const nextCheckAt = Number(data['nextCheckAt']) - midnight;
      const usual = Math.min(hour, 5 * second * 2 ** Number(data['check']));
      // Where nothing is found yet, the next one may come as soon as it would count.
      const isSpaced =
        data['verdict'] === 'absent' ? nextCheckAt - at <= usual : nextCheckAt - at === usual;
      const next = checks[index + 1];
      const isSame = next?.revision === revision + 1;
      return [
        ...(isSpaced ? [] : [`${id}: check ${index + 1} waits ${nextCheckAt - at} ms`]),
        ...(isSame && next.at < nextCheckAt ? [`${id}: check ${index + 2} was too early`] : []),
      ];
    });
  });
}

/** No storm: however many wait, and whatever comes back, a lookup is asked once for each check. */
export function lookupsAreFew({ lookups }: Day, { actions }: DayRecord): readonly string[] {
  const asked = new Map<string, number>();
  for (const { key } of lookups) asked.set(key, (asked.get(key) ?? 0) + 1);
  const tooMany = [...actions.values()].flatMap(({ id, key = '', facts }) => {
    const told = facts.filter(({ type }) =>
      /^(Reconcil|ActionReconcil|Evidence)/.test(type),
    ).length;
    // One may have been under way when its process went.
    const bound = told + 2;
    const lookedUp = asked.get(key) ?? 0;
    return lookedUp > bound ? [`${id} was looked up ${lookedUp} times for ${told} verdicts`] : [];
  });
  const perMinute = new Map<number, number>();
  for (const { at } of lookups) {
    const which = Math.floor(at / minute);
    perMinute.set(which, (perMinute.get(which) ?? 0) + 1);
  }
  const most = Math.max(0, ...perMinute.values());
  const bound = 20 + actions.size / 50;
  return most > bound ? [...tooMany, `${most} lookups within a minute`] : tooMany;
}
