// The topics of the ledger, where dead letters go, and the headers by which every record of an event
// says what it is about. A consumer compares revisions: what is not newer it has seen.
import { type Headers, type LogRecord } from './event-log.ts';

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

/** Of the event that a record carries, or up to which its state is folded. */
export interface EventPlace {
  readonly eventId: string;
  readonly type: string;
  readonly stream: string;
  readonly revision: number;
  /** In the event store; may jump. */
  readonly position: number;
}

export function headersOfEvent(place: EventPlace): Headers {
  return {
    'event-id': place.eventId,
    'event-type': place.type,
    stream: place.stream,
    revision: String(place.revision),
    position: String(place.position),
  };
}

/** Undefined where a header is missing or malformed: the record is none of ours. */
export function eventPlaceOf({ headers }: Pick<LogRecord, 'headers'>): EventPlace | undefined {
  const eventId = headers['event-id'];
  const type = headers['event-type'];
  const { stream } = headers;
  const revision = wholeNumber(headers['revision']);
  const position = wholeNumber(headers['position']);
  if (eventId === undefined || type === undefined || stream === undefined) return undefined;
  if (revision === undefined || position === undefined) return undefined;
  return { eventId, type, stream, revision, position };
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
