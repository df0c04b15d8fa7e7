// What every adapter refuses before it looks at the stream: names and texts that some store could
// not give back byte for byte, and appends beyond the bounds of the port.
import {
  eventBytesMax,
  eventsPerAppendMax,
  type ExpectedRevision,
  type NewEvent,
  type StreamCut,
} from './event-store.ts';
import { StoreFault } from './store-fault.ts';

/** @throws StoreFault `store.invalid-append` or `store.too-large`, both `never`. */
export function checkAppend(
  stream: string,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
): void {
  checkStreamName(stream);
  if (expected !== 'no stream' && !(Number.isSafeInteger(expected) && expected >= 0)) {
    throw invalid(
      `The expected revision is 'no stream' or a whole number from 0, not ${expected}.`,
    );
  }
  if (events.length === 0) throw invalid('An append holds at least one event.');
  if (events.length > eventsPerAppendMax) {
    throw tooLarge(`An append holds at most ${eventsPerAppendMax} events, not ${events.length}.`);
  }
  for (const event of events) checkEvent(event);
}

/**
 * @param last the last revision of the stream, undefined where it has none
 * @throws StoreFault `store.invalid-append`
 */
export function checkCut({ stream, before }: StreamCut, last: number | undefined): void {
  checkStreamName(stream);
  if (Number.isSafeInteger(before) && before >= 0 && last !== undefined && before <= last) return;
  const end = last === undefined ? 'has no event' : `ends at revision ${last}`;
  throw new StoreFault(
    'store.invalid-append',
    'never',
    `A stream keeps its last event: ${stream} ${end} and cannot be cut before ${before}.`,
  );
}

/** @throws StoreFault `store.invalid-append`. */
export function checkStreamName(stream: string): void {
  if (usualName.test(stream)) return;
  if (!streamName.test(stream) || !stream.isWellFormed()) {
    throw invalid('A stream name has 1 to 255 characters, no control character and no leading $.');
  }
}

function checkEvent(event: NewEvent): void {
  if (!eventId.test(event.id)) {
    throw invalid('An event id has 1 to 64 letters, digits, - or _.');
  }
  if (!eventType.test(event.type)) {
    throw invalid('An event type has 1 to 255 letters, digits, ., - or _.');
  }
  checkText(event.data, 'data');
  checkText(event.metadata, 'metadata');
  const texts = event.data.length + event.metadata.length;
  // A UTF-16 unit takes at most three bytes, so that most texts need no count.
  if (texts * 3 <= eventBytesMax) return;
  const bytes = Buffer.byteLength(event.data) + Buffer.byteLength(event.metadata);
  if (bytes > eventBytesMax) {
    throw tooLarge(
      `Data and metadata of an event have at most ${eventBytesMax} bytes together, not ${bytes}.`,
    );
  }
}

function checkText(text: string, what: string): void {
  if (text === '' || text.includes('\n') || text.includes('\0') || !text.isWellFormed()) {
    throw invalid(
      `The ${what} of an event is a canonical JSON text: not empty, no raw line break, no lone surrogate.`,
    );
  }
}

/** Needs no look at each character's class. */
const usualName = /^[\w.-]{1,255}$/;
const streamName = /^[^$\p{Cc}][^\p{Cc}]{0,254}$/u;
const eventId = /^[\w-]{1,64}$/;
const eventType = /^[\w.-]{1,255}$/;

function invalid(message: string): StoreFault {
  return new StoreFault('store.invalid-append', 'never', message);
}

function tooLarge(message: string): StoreFault {
  return new StoreFault('store.too-large', 'never', message);
}
