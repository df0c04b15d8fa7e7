// What has come for one partition, in order and without a hole, until it is handled. The client may
// hand over records that it fetched for an earlier assignment, or go on from another offset than asked
// (it starts over by itself where its offset is gone). So nothing is believed but what begins exactly at
// the place that is expected; what begins beyond it only when it comes again after that place was asked
// for once more: then nothing lies between.
import { type LogRecord } from '@action-ledger/event-log';

export interface Arrival {
  /** The offset that the client asked from; undefined where it does not say: no record to be seen. */
  readonly from: number | undefined;
  /** Behind the last offset of it. */
  readonly next: number;
  readonly records: readonly LogRecord[];
}

export interface Taken {
  readonly records: readonly LogRecord[];
  /** Up to here (exclusive) there is nothing else. */
  readonly next: number;
}

export interface Inbox {
  /** False where the client is to ask from `expected()` again. */
  readonly offer: (arrival: Arrival) => boolean;
  readonly expected: () => number;
  /** Undefined where nothing has come. */
  readonly take: (max: number) => Taken | undefined;
  readonly count: () => number;
  readonly bytes: () => number;
}

export function createInbox(start: number): Inbox {
  const doubted = new Set<number>();
  let waiting: readonly LogRecord[] = [];
  let bytes = 0;
  let expected = start;
  let handed = start;
  let isSettled = false;

  const add = ({ next, records }: Arrival): true => {
    isSettled = true;
    doubted.clear();
    expected = next;
    waiting = [...waiting, ...records];
    bytes += bytesOf(records);
    return true;
  };
  const isDoubtful = (place: number): boolean => {
    if (doubted.has(place)) return false;
    doubted.add(place);
    return true;
  };

  return {
    offer: (arrival) => {
      const { from, next } = arrival;
      if (from === expected) return add(arrival);
      if (from === undefined) {
        if (next <= expected) return true;
        return isSettled || !isDoubtful(next) ? add(arrival) : false;
      }
      return from < expected || isDoubtful(from) ? false : add(arrival);
    },
    expected: () => expected,
    take: (max) => {
      if (waiting.length === 0 && handed === expected) return undefined;
      const records = waiting.slice(0, max);
      waiting = waiting.slice(max);
      bytes -= bytesOf(records);
      const last = records.at(-1);
      handed = waiting.length === 0 || last === undefined ? expected : last.offset + 1;
      return { records, next: handed };
    },
    count: () => waiting.length,
    bytes: () => bytes,
  };
}

function bytesOf(records: readonly LogRecord[]): number {
  return records.reduce((sum, { value }) => sum + (value?.byteLength ?? 0), 0);
}
