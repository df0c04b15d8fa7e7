/* eslint-disable max-lines-per-function -- a suite is a list of sentences, as in a test file */
// Publishing: what is acknowledged is read as it was given, in the order of its key; of two publishers
// of one name only the later one can; what breaks the bounds is refused whole.
import { describe, expect, it } from '@jest/globals';
import {
  actionTopics,
  type EventLog,
  type LogRecord,
  type NewRecord,
  recordBytesMax,
  recordsPerPublishMax,
} from '@action-ledger/event-log';
import { events, follow, type WithLog } from './log-harness.ts';

const topic = actionTopics.proposals;

export function publishingContract(withLog: WithLog): void {
  describe('publish', () => {
    it(
      'gives back key, bytes, headers and time as they were given',
      withLog(async (log) => {
        const publisher = await log.openPublisher();
        const value = Uint8Array.from({ length: 256 }, (_, index) => index);
        const headers = { one: '1', text: 'ä€😀', none: '' };
        const given = { topic: events, key: 'run-ä', headers, timestamp: 1234 };
        await publisher.publish([{ ...given, value }]);
        const [record] = await readAll(log, events, 1);
        expect(record).toMatchObject(given);
        expect([...(record?.value ?? [])]).toEqual([...value]);
        await publisher.publish([{ topic: events, key: 'k', value: new Uint8Array() }]);
        const last = (await readAll(log, events, 2)).find(({ key }) => key === 'k');
        expect(last?.value?.byteLength ?? 0).toBe(0);
        expect(last?.timestamp).toBeGreaterThan(0);
        await publisher.close();
      }),
    );

    it(
      'gives each proposal a time, its own or that of its arrival',
      withLog(async (log) => {
        const publisher = await log.openPublisher();
        await publisher.publish([numbered('a', 1)]);
        expect((await readAll(log, topic, 1))[0]?.timestamp).toBeGreaterThan(0);
      }),
    );

    it(
      'keeps the order of each key, in one call and over several',
      withLog(async (log) => {
        const publisher = await log.openPublisher();
        const numbers = Array.from({ length: 300 }, (_, index) => index);
        const records = numbers.map((number) => numbered(`key-${number % 7}`, number));
        await publisher.publish(records.slice(0, 200));
        await publisher.publish([]);
        await publisher.publish(records.slice(200));
        const read = await readAll(log, topic, 300);
        for (let key = 0; key < 7; key += 1) {
          const ofKey = read.filter((record) => record.key === `key-${key}`).map(numberOf);
          expect(ofKey).toEqual(numbers.filter((number) => number % 7 === key));
        }
      }),
    );

    it(
      'of the topic of latest states gives the latest of each key, the one that says none included',
      withLog(async (log) => {
        const publisher = await log.openPublisher();
        const state = (key: string, number: number): NewRecord => ({
          ...numbered(key, number),
          topic: actionTopics.state,
        });
        await publisher.publish([state('a', 1), state('b', 2), state('a', 3)]);
        await publisher.publish([{ topic: actionTopics.state, key: 'b', value: undefined }]);
        const seen = await follow(log, { topics: [actionTopics.state] });
        const latest = (key: string) => seen.handled.filter((each) => each.key === key).at(-1);
        await seen.until(() => numberOf(latest('a')) === 3 && isNone(latest('b')));
        expect(latest('b')?.value).toBeUndefined();
      }),
    );
  });

  describe('a publisher with a name', () => {
    it(
      'FW15 is refused once another has opened with that name: one that woke late changes nothing',
      withLog(async (log) => {
        const old = await log.openPublisher({ name: 'projector' });
        await old.publish([numbered('a', 1)]);
        const taken = await log.openPublisher({ name: 'projector' });
        await taken.publish([numbered('a', 2)]);
        const fenced = { code: 'log.fenced', retry: 'never' };
        await expect(old.publish([numbered('a', 3)])).rejects.toMatchObject(fenced);
        await taken.publish([numbered('a', 4)]);
        const other = await log.openPublisher({ name: 'other' });
        await other.publish([numbered('a', 5)]);
        const free = await log.openPublisher();
        await free.publish([numbered('a', 6)]);
        await taken.publish([numbered('a', 7)]);
        expect((await readAll(log, topic, 6)).map(numberOf)).toEqual([1, 2, 4, 5, 6, 7]);
      }),
    );

    it(
      'publishes nothing once it, or the log, is closed',
      withLog(async (log) => {
        const publisher = await log.openPublisher();
        await publisher.close();
        await publisher.close();
        const closed = { code: 'log.closed' };
        await expect(publisher.publish([numbered('a', 1)])).rejects.toMatchObject(closed);
        const other = await log.openPublisher();
        await log.close();
        await expect(other.publish([numbered('a', 1)])).rejects.toMatchObject(closed);
      }),
    );
  });

  describe('records that are refused', () => {
    const value = new Uint8Array(1);
    const many = Array.from({ length: recordsPerPublishMax + 1 }, () => numbered('a', 1));
    it.each<[string, readonly NewRecord[], string]>([
      ['an empty key', [{ topic, key: '', value }], 'log.invalid'],
      ['a long key', [{ topic, key: 'k'.repeat(256), value }], 'log.invalid'],
      ['half a surrogate pair', [{ topic, key: '\ud800', value }], 'log.invalid'],
      ['a malformed header', [{ topic, key: 'k', value, headers: { 'a b': '' } }], 'log.invalid'],
      ['too many bytes', [{ ...numbered('k', 1), value: large }], 'log.too-large'],
      ['too many at once', many, 'log.too-large'],
      ['an unknown topic', [{ topic: 'nothing', key: 'k', value }], 'log.unknown-topic'],
    ])('have %s, and take the others with them', (_what, records, code) =>
      withLog(async (log) => {
        const publisher = await log.openPublisher();
        const all = code === 'log.too-large' ? records : [numbered('a', 1), ...records];
        await expect(publisher.publish(all)).rejects.toMatchObject({ code, retry: 'never' });
        await publisher.publish([numbered('z', 9)]);
        expect((await readAll(log, topic, 1)).map(numberOf)).toEqual([9]);
      })(),
    );
  });
}

const large = new Uint8Array(recordBytesMax);

function numbered(key: string, number: number): NewRecord {
  return { topic, key, value: new TextEncoder().encode(String(number)) };
}

function numberOf(record: LogRecord | undefined): number {
  return record?.value === undefined ? NaN : Number(new TextDecoder().decode(record.value));
}

function isNone(record: LogRecord | undefined): boolean {
  return record !== undefined && record.value === undefined;
}

let readers = 0;

/** The first so many records of the topic, read by a group of its own. */
async function readAll(log: EventLog, from: string, count: number): Promise<readonly LogRecord[]> {
  const seen = await follow(log, { group: `reader-${readers++}`, topics: [from] });
  await seen.untilHandled(count);
  await seen.close();
  return seen.delivered;
}
