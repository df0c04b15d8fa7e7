// The topics of the ledger, where dead letters go, and the headers by which every record of an event
// says what it is about. A consumer compares places: what is not newer it has seen.
import { type Headers, type LogRecord } from './event-log.ts';
import { type EventPlace } from './event-place.ts';

export const actionTopics = {
  /** What platforms propose, keyed by run. */
  proposals: 'action.proposals',
  /** Every event, keyed by action. */
  events: 'action.events',
  /** The latest state of each action, keyed by action; older ones are dropped. */
  state: 'action.state',
} as const;

const deadLetterEnd = '.dlq';

export function deadLetterTopicOf(topic: string): string {
  return `${topic}${deadLetterEnd}`;
}

export function isDeadLetterTopic(topic: string): boolean {
  return topic.endsWith(deadLetterEnd);
}

export function headersOfEvent(place: EventPlace): Headers {
  const { generation = 0 } = place;
  return {
    'event-id': place.eventId,
    'event-type': place.type,
    stream: place.stream,
    revision: String(place.revision),
    position: String(place.position),
    ...(generation === 0 ? {} : { generation: String(generation) }),
  };
}

type Told = Pick<EventPlace, 'generation' | 'position' | 'revision'>;

/** Of two records under one key and of one stream: whether the first says more than the other. */
export function isNewer(place: Told, other: Told): boolean {
  const generation = (place.generation ?? 0) - (other.generation ?? 0);
  if (generation !== 0) return generation > 0;
  const later = place.position - other.position;
  return later !== 0 ? later > 0 : place.revision > other.revision;
}

/** Undefined where a header is missing or malformed: the record is none of ours. */
export function eventPlaceOf(record: Pick<LogRecord, 'headers' | 'place'>): EventPlace | undefined {
  // Before its headers, which may have to be made.
  if (record.place !== undefined) return record.place;
  const { headers } = record;
  const eventId = headers['event-id'];
  const type = headers['event-type'];
  const { stream } = headers;
  const revision = wholeNumber(headers['revision']);
  const position = wholeNumber(headers['position']);
  if (eventId === undefined || type === undefined || stream === undefined) return undefined;
  if (revision === undefined || position === undefined) return undefined;
  const place = { eventId, type, stream, revision, position };
  const generation = wholeNumber(headers['generation']) ?? 0;
  return generation === 0 ? place : { ...place, generation };
}

function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,16}$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** What a dead letter carries beside the headers of its record. */
export interface DeadLetterFacts {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly group: string;
  readonly reason: string;
  readonly tries: number;
}

const reasonCharactersMax = 1000;

export function headersOfDeadLetter(record: LogRecord, facts: DeadLetterFacts): Headers {
  return {
    ...record.headers,
    'dead-letter-topic': facts.topic,
    'dead-letter-partition': String(facts.partition),
    'dead-letter-offset': String(facts.offset),
    'dead-letter-group': facts.group,
    'dead-letter-reason': facts.reason.slice(0, reasonCharactersMax).toWellFormed(),
    'dead-letter-tries': String(facts.tries),
  };
}

export function deadLetterFactsOf({
  headers,
}: Pick<LogRecord, 'headers'>): DeadLetterFacts | undefined {
  const topic = headers['dead-letter-topic'];
  const group = headers['dead-letter-group'];
  const reason = headers['dead-letter-reason'];
  const [partition, offset, tries] = ['partition', 'offset', 'tries'].map((name) =>
    wholeNumber(headers[`dead-letter-${name}`]),
  );
  if (topic === undefined || group === undefined || reason === undefined) return undefined;
  if (partition === undefined || offset === undefined || tries === undefined) return undefined;
  return { topic, partition, offset, group, reason, tries };
}
