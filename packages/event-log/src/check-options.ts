// What every adapter refuses before it asks the log: names and records that some log could not give
// back as they are.
import {
  type ConsumeOptions,
  type NewRecord,
  recordBytesMax,
  recordsPerPublishMax,
} from './event-log.ts';
import { LogFault } from './log-fault.ts';

/** @throws LogFault `log.invalid` or `log.too-large`, both `never` */
export function checkRecords(records: readonly NewRecord[]): void {
  if (records.length > recordsPerPublishMax) {
    throw tooLarge(
      `At most ${recordsPerPublishMax} records are published at once, not ${records.length}.`,
    );
  }
  for (const record of records) checkRecord(record);
}

function checkRecord({ key, value, headers = {} }: NewRecord): void {
  if (key === '' || key.length > 255 || !key.isWellFormed()) {
    throw invalid('The key of a record has 1 to 255 characters and no lone surrogate.');
  }
  let bytes = Buffer.byteLength(key) + (value?.byteLength ?? 0);
  for (const [name, text] of Object.entries(headers)) {
    if (!headerName.test(name) || !text.isWellFormed()) {
      throw invalid(
        'A header has a name of letters, digits and -, and a text without lone surrogate.',
      );
    }
    bytes += Buffer.byteLength(name) + Buffer.byteLength(text);
  }
  if (bytes > recordBytesMax) {
    throw tooLarge(`A record has at most ${recordBytesMax} bytes, not ${bytes}.`);
  }
}

/** @throws LogFault `log.invalid`, `never` */
export function checkConsumeOptions(options: ConsumeOptions): void {
  const { group, topics, batchMax = 1, retry = {} } = options;
  checkGroup(group);
  if (topics.length === 0 || new Set(topics).size < topics.length) {
    throw invalid('A consumer has at least one topic, and each of them once.');
  }
  const { triesMax = 1, pauseMinMs = 1, pauseMaxMs = pauseMinMs } = retry;
  if (![batchMax, triesMax].every((count) => Number.isSafeInteger(count) && count >= 1)) {
    throw invalid('batchMax and triesMax are whole numbers from 1.');
  }
  if (!(pauseMinMs > 0 && pauseMaxMs >= pauseMinMs && pauseMaxMs < Infinity)) {
    throw invalid('pauseMinMs is above 0 and pauseMaxMs not below it.');
  }
}

/** @throws LogFault `log.invalid`, `never` */
export function checkGroup(group: string): void {
  if (!/^[\w.-]{1,249}$/.test(group)) {
    throw invalid('The name of a group has 1 to 249 letters, digits, ., - or _.');
  }
}

export function unknownTopic(topic: string): LogFault {
  return new LogFault('log.unknown-topic', 'never', `There is no topic ${topic} in this log.`);
}

const headerName = /^[A-Za-z\d-]{1,100}$/;

function invalid(message: string): LogFault {
  return new LogFault('log.invalid', 'never', message);
}

function tooLarge(message: string): LogFault {
  return new LogFault('log.too-large', 'never', message);
}
