import { describe, expect, it } from '@jest/globals';
import { actionTopics, type NewRecord } from '@action-ledger/event-log';
import { namesWith } from './names.ts';
import { checkAcknowledged, partsOf, sendingOf } from './sending.ts';

const topic = actionTopics.events;
const layout = new Map([[topic, 4]]);
const names = namesWith('p.');
const record = (key: string, bytes = 1): NewRecord => ({
  topic,
  key,
  value: new Uint8Array(bytes),
});
const records = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((key) => record(key));

describe('records on their way to the brokers', () => {
  it('go where every other client puts their key', () => {
    const [sent] = sendingOf(
      ['21', 'foobar', 'abc'].map((key) => record(key)),
      layout,
      names,
      5,
    ).topicMessages;
    // Of the Java client: murmur2 of the key, without its sign, by the number of partitions.
    const hashes = [-973932308, -790332482, 479470107].map((hash) => (hash & 0x7fffffff) % 4);
    expect(sent?.messages.map(({ partition }) => partition)).toEqual(hashes);
    expect(sent).toMatchObject({ topic: 'p.action.events' });
  });

  it('go in parts that brokers take, in their order', () => {
    const large = Array.from({ length: 5 }, (_, index) => record(`k${index}`, 400 * 1024));
    const parts = partsOf([...large, record('last')]);
    expect(parts.map((part) => part.map(({ key }) => key))).toEqual([
      ['k0', 'k1'],
      ['k2', 'k3'],
      ['k4', 'last'],
    ]);
  });
});

describe('F102 acknowledged but not written', () => {
  const sending = sendingOf(records, layout, names, 5);
  const told = [...sending.places].map((place) => ({
    topicName: 'p.action.events',
    partition: Number(place.split('/')[1]),
    errorCode: 0,
  }));

  it('the client answers well for some of the partitions only → not taken for stored', () => {
    expect(told.length).toBeGreaterThan(1);
    expect(() => {
      checkAcknowledged(sending, told);
    }).not.toThrow();
    for (const missing of told) {
      const others = told.filter((each) => each !== missing);
      const failed = [...others, { ...missing, errorCode: 6 }];
      for (const answer of [others, failed, []])
        expect(() => {
          checkAcknowledged(sending, answer);
        }).toThrow('not acknowledged');
    }
  });
});
