// What a ledger keeps grows with what is asked of it, not with time.
import { type Day } from '../day.ts';
import { type DayRecord } from '../record.ts';

/** Of a plain action there are four events, of one in trouble some more. */
const eventsPerActionMax = 8;
/** Of one action: attempts, checks of an unknown that nobody settles, what joined it. */
const eventsOfOneMax = 80;

export function recordIsBounded(_day: Day, { actions, events }: DayRecord): readonly string[] {
  const perAction = events.length / Math.max(1, actions.size);
  return [
    ...(perAction > eventsPerActionMax ? [`${perAction} events per action`] : []),
    ...[...actions.values()].flatMap(({ id, facts }) =>
      facts.length > eventsOfOneMax ? [`${id} has ${facts.length} events`] : [],
    ),
  ];
}

/** Timers are for what is open, and a handful for what runs all the time. */
export function timersAreBounded({ time, process }: Day): readonly string[] {
  const timers = time.pendingTimers();
  const gauges = process().ledger.gauges();
  const bound = 20 + gauges.attempts;
  return timers > bound ? [`${timers} timers wait`] : [];
}
