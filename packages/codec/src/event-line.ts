// An event as a line of JSON, for exports and archives. The line holds all that the chain covers, so that
// what was stored can be had back from it byte for byte, and a file of lines proved by itself.
import {
  canonicalJson,
  type JsonObject,
  type JsonValue,
  sealMetadata,
} from '@action-ledger/domain';
import { type RecordedEvent } from '@action-ledger/event-store';

/**
 * `{position, stream, revision, time, type, by?, format?, id, hash, data}`, without a line break. What
 * cannot be read of a damaged event is left out, and its data is a text then.
 */
export function lineOfEvent(recorded: RecordedEvent): string {
  const { position, stream, revision, type, id, data, metadata } = recorded;
  const { at, by, format, hash } = membersOf(metadata);
  const place = JSON.stringify({
    position,
    stream,
    revision,
    ...(typeof at === 'number' && Number.isInteger(at) ? { time: isoTime(at) } : {}),
    type,
    ...(typeof by === 'string' ? { by } : {}),
    ...(typeof format === 'number' ? { format } : {}),
    id,
    ...(typeof hash === 'string' ? { hash } : {}),
  });
  return `${place.slice(0, -1)},"data":${isJson(data) ? data : JSON.stringify(data)}}`;
}

/** @throws SyntaxError where it is not such a line */
export function eventOfLine(line: string): RecordedEvent {
  const { position, stream, revision, time, type, by, format, id, hash, data } = membersOf(line);
  const at = typeof time === 'string' ? Date.parse(time) : NaN;
  if (
    !isCount(position) ||
    !isCount(revision) ||
    typeof stream !== 'string' ||
    typeof type !== 'string' ||
    typeof id !== 'string' ||
    typeof hash !== 'string' ||
    data === undefined ||
    Number.isNaN(at)
  )
    throw new SyntaxError('It is no line of an event.');
  const said: JsonObject = {
    at,
    ...(typeof by === 'string' ? { by } : {}),
    ...(typeof format === 'number' ? { format } : {}),
  };
  const metadata = sealMetadata(canonicalJson(said), hash);
  return { id, type, data: canonicalJson(data), metadata, stream, revision, position };
}

type Members = Readonly<Record<string, JsonValue | undefined>>;

function membersOf(text: string): Members {
  try {
    const value = JSON.parse(text) as JsonValue;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : {};
  } catch {
    return {};
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

const timeMax = 8.64e15;

function isoTime(at: number): string | undefined {
  return Math.abs(at) <= timeMax ? new Date(at).toISOString() : undefined;
}

/** Canonical JSON is one line; what was tampered with need not be. */
function isJson(data: string): boolean {
  try {
    JSON.parse(data);
    return !data.includes('\n');
  } catch {
    return false;
  }
}
