// The last record of each partition, where all that a source gives is pages from an offset on: looks back
// from the end, further each time, since offsets may jump.
import { type LogRecord, type TopicPartition } from './event-log.ts';
import { type LogSource } from './log-source.ts';

const lookBackFirst = 64;
const lookBackTimes = 8;
const pageRecords = 256;

type Source = Pick<LogSource, 'read' | 'end'>;

export async function newestOf(
  source: Source,
  places: readonly TopicPartition[],
): Promise<readonly LogRecord[]> {
  const found = await Promise.all(places.map((place) => newestAt(source, place)));
  return found.filter((record) => record !== undefined);
}

async function newestAt(source: Source, place: TopicPartition): Promise<LogRecord | undefined> {
  const end = await source.end(place);
  for (let back = lookBackFirst; ; back *= lookBackTimes) {
    const from = Math.max(0, end - back);
    const found = await lastFrom(source, place, from, end);
    if (found !== undefined || from === 0) return found;
  }
}

async function lastFrom(
  source: Source,
  place: TopicPartition,
  from: number,
  end: number,
): Promise<LogRecord | undefined> {
  let last: LogRecord | undefined;
  for (let next = from; next < end;) {
    const page = await source.read({ ...place, from: next, max: pageRecords });
    last = page.records.at(-1) ?? last;
    if (page.next <= next) return last;
    next = page.next;
  }
  return last;
}
