import { describe, expect, it } from '@jest/globals';
import { recordedEvent, type ReadEvent, storedEvent, uuidOf } from './wire.ts';

const id = 'AbCdEfGhIjKlMnOpQrStUv';

/** What a server gives back of it: the client parses what was written. */
function readBack(event: Parameters<typeof storedEvent>[0], change: Partial<ReadEvent> = {}) {
  const stored = storedEvent(event);
  const { data, metadata } = JSON.parse(JSON.stringify(stored)) as typeof stored;
  return recordedEvent('action-a', {
    streamId: 'ledger.action-a',
    id: stored.id,
    revision: 3n,
    type: stored.type,
    isJson: true,
    data,
    metadata,
    position: { commit: 1_234n, prepare: 1_234n },
    ...change,
  });
}

const event = { id, type: 'ActionPlanned', data: '{"amount":1}', metadata: '{"tenant":"acme"}' };

describe('an event as it is stored', () => {
  it('is JSON that the tools of the server read', () => {
    expect(storedEvent(event)).toEqual({
      id: uuidOf(id),
      type: 'ActionPlanned',
      contentType: 'application/json',
      data: { amount: 1 },
      metadata: { format: 1, id, metadata: { tenant: 'acme' } },
    });
  });

  it('has a UUID that is the same for the same id, and another for another', () => {
    const form = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    expect(uuidOf(id)).toMatch(form);
    expect(uuidOf(id)).toBe(uuidOf(id));
    expect(uuidOf('e1')).not.toBe(uuidOf('e2'));
  });

  it.each([
    ['canonical', '{"a":1,"b":[true,null]}'],
    ['with names like numbers, which JSON.parse puts first', '{"10":1,"9":2,"a":{"2":0,"b":0}}'],
    ['with a name that is a setter', '{"__proto__":{"x":1}}'],
    ['no object', 'null'],
    ['an empty text', '""'],
    ['not canonical', ' { "b" : 1.0, "a" : 1e3 } '],
    ['with a name twice', '{"a":1,"a":2}'],
    ['no JSON at all', 'plain'],
    ['with characters of four bytes', '"🧾\u2028"'],
  ])('comes back byte for byte: %s', (_, text) => {
    expect(readBack({ ...event, data: text })).toMatchObject({ data: text });
    expect(readBack({ ...event, metadata: text })).toMatchObject({ metadata: text });
  });

  it('comes back with its id and its place', () => {
    expect(readBack(event)).toEqual({ ...event, stream: 'action-a', revision: 3, position: 1_234 });
  });
});

describe('an event that no ledger has written', () => {
  it.each([
    ['no metadata', { metadata: undefined }],
    ['metadata of another format', { metadata: { format: 2, id, metadata: {} } }],
    ['metadata without an id', { metadata: { format: 1, metadata: {} } }],
    ['a text that is none', { metadata: { format: 1, id, dataText: 1 } }],
    ['bytes', { isJson: false, data: new Uint8Array([1]) }],
  ])('is damage, and says where: %s', (_, change) => {
    let fault: unknown;
    try {
      readBack(event, change);
    } catch (thrown) {
      fault = thrown;
    }
    expect(fault).toMatchObject({
      code: 'store.corrupt',
      retry: 'never',
      detail: { stream: 'action-a', revision: 3, position: 1_234, through: 1_234 },
    });
  });

  it('is refused where the server does not say where it lies', () => {
    const none = { commit: 2n ** 64n - 1n, prepare: 2n ** 64n - 1n };
    for (const position of [undefined, none])
      expect(() => readBack(event, { position })).toThrow('too old');
  });
});
