// The last record of each partition. The end of a partition can be marks of transactions and records that
// were never committed, which no reader sees: then it is read from further back. It takes a membership in
// a group of its own, which commits nothing.
import { LogFault, type LogRecord, type TopicPartition } from '@action-ledger/event-log';
import { type Arrival, createInbox, type Inbox } from './inbox.ts';
import { type Line } from './lane.ts';
import { joinGroup, type Membership } from './membership.ts';
import { placeKey } from './names.ts';
import { type PlacesParts, type Standing, standings } from './places.ts';
import { unavailable } from './faults.ts';

interface Sought {
  readonly place: TopicPartition;
  readonly low: number;
  readonly end: number;
  back: number;
  inbox: Inbox;
  last: LogRecord | undefined;
  isDone: boolean;
}

const lookBackFirst = 8;
const lookBackTimes = 16;

/**
 * @param group that nobody else is in
 * @throws LogFault `log.unavailable`, safe
 */
export async function newestRecords(
  parts: PlacesParts,
  group: string,
  topics: readonly string[],
): Promise<readonly LogRecord[]> {
  const found = await standings(parts, group, topics);
  const sought = found.filter(({ low, end }) => end > low).map(seek);
  if (sought.length === 0) return [];
  try {
    await readAll(parts, group, topics, sought);
  } catch (error) {
    throw unavailable('The last records could not be read', error, 'safe');
  }
  return sought.flatMap(({ last }) => last ?? []);
}

function seek({ topic, partition, low, end }: Standing): Sought {
  const inbox = createInbox(Math.max(low, end - lookBackFirst));
  const place = { topic, partition };
  return { place, low, end, back: lookBackFirst, inbox, last: undefined, isDone: false };
}

async function readAll(
  parts: PlacesParts,
  group: string,
  topics: readonly string[],
  sought: readonly Sought[],
): Promise<void> {
  const { timing, runtime } = parts;
  const byKey = new Map(sought.map((each) => [placeKey(each.place), each]));
  let membership: Membership | undefined;
  const read = new Promise<void>((resolve, reject) => {
    // The group is joined, then read.
    const timer = runtime.timers.after(2 * timing.requestMs, () => {
      reject(new LogFault('log.unavailable', 'safe', 'They did not come in time.'));
    });
    const end = (): void => {
      timer.cancel();
      resolve();
    };
    const joining = joinGroup({
      ...parts,
      connection: parts.connect(),
      group,
      topics,
      onAssigned: (partitions, line) => {
        line.hold(partitions, true);
      },
      onRebalancing: () => undefined,
      onArrival: (place, arrival, line) => {
        const goesOn = arrived(byKey.get(placeKey(place)), place, arrival, line);
        if (sought.every(({ isDone }) => isDone)) end();
        return goesOn;
      },
      onSign: () => undefined,
      onCrash: reject,
    });
    membership = joining;
    joining.joined.then(() => {
      for (const { place, inbox } of sought) {
        joining.line.seek(place, inbox.expected());
        joining.line.hold([place], false);
      }
    }, reject);
  });
  try {
    await read;
  } finally {
    await membership?.leave();
  }
}

/** @returns false where the client must not go on behind it */
function arrived(
  one: Sought | undefined,
  place: TopicPartition,
  arrival: Arrival,
  line: Line,
): boolean {
  if (one === undefined || one.isDone) {
    line.hold([place], true);
    return false;
  }
  const { end, low, inbox } = one;
  if (!inbox.offer(arrival)) {
    line.seek(place, inbox.expected());
    return false;
  }
  one.last = inbox.take(Infinity)?.records.at(-1) ?? one.last;
  if (inbox.expected() < end) return true;
  if (one.last === undefined && end - one.back > low) {
    lookFurtherBack(one, line);
    return false;
  }
  one.isDone = true;
  line.hold([place], true);
  return true;
}

function lookFurtherBack(one: Sought, line: Line): void {
  one.back *= lookBackTimes;
  one.inbox = createInbox(Math.max(one.low, one.end - one.back));
  line.seek(one.place, one.inbox.expected());
}
