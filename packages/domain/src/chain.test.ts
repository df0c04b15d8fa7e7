import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type ChainedText,
  chainHash,
  chainStart,
  findChainBreak,
  sealMetadata,
  unsealMetadata,
} from './chain.ts';

type Stored = ChainedText & { readonly revision: number };

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');
const stream = 'action-1';

function seal(texts: readonly ChainedText[], inStream = stream): Stored[] {
  let hash = chainStart(inStream);
  return texts.map((text, revision) => {
    hash = chainHash(sha256, hash, text);
    return { ...text, metadata: sealMetadata(text.metadata, hash), revision };
  });
}

const texts = [0, 1, 2, 3].map((number) => ({
  id: `id-${number}`,
  type: 'ActionPlanned',
  data: `{"amount":${number}}`,
  metadata: `{"at":${number},"by":"ann"}`,
}));
const sealed = seal(texts);
const with1 = (changes: Partial<Stored>): Stored[] =>
  sealed.map((event) => (event.revision === 1 ? { ...event, ...changes } : event));
const renumbered = (events: readonly (Stored | undefined)[]): Stored[] =>
  events
    .flatMap((event) => (event === undefined ? [] : [event]))
    .map((event, revision) => ({ ...event, revision }));
const broken = (events: readonly Stored[], inStream = stream) =>
  findChainBreak(sha256, inStream, events);
const changed = 'edited, removed or moved';

describe('a chain', () => {
  it('that nobody touched holds, also an empty one', () => {
    expect(broken(sealed)).toBeUndefined();
    expect(broken([])).toBeUndefined();
  });

  it('can be checked in parts', () => {
    const hash = unsealMetadata(sealed[1]?.metadata ?? '')?.hash ?? '';
    const from = { revision: 1, hash };
    expect(findChainBreak(sha256, stream, sealed.slice(2), from)).toBeUndefined();
    expect(findChainBreak(sha256, stream, sealed.slice(3), from)).toEqual({
      revision: 2,
      what: 'revision missing',
    });
    const other = { revision: 1, hash: chainStart(stream) };
    expect(findChainBreak(sha256, stream, sealed.slice(2), other)?.revision).toBe(2);
  });

  it.each([
    ['data', { data: '{"amount":100}' }],
    ['type', { type: 'ActionDenied' }],
    ['id', { id: 'id-9' }],
    ['metadata', { metadata: (sealed[1]?.metadata ?? '').replace('ann', 'bob') }],
    ['hash', { metadata: sealMetadata('{"at":1,"by":"ann"}', 'A'.repeat(43)) }],
  ])('names the event whose %s was edited', (_what, changes) => {
    expect(broken(with1(changes))).toEqual({ revision: 1, what: changed });
  });

  it('names the event that lost its hash', () => {
    expect(broken(with1({ metadata: '{"at":1,"by":"ann"}' }))).toEqual({
      revision: 1,
      what: 'no hash',
    });
  });

  it('names where an event was removed, whether or not the others were renumbered', () => {
    const without = sealed.filter(({ revision }) => revision !== 1);
    expect(broken(without)).toEqual({ revision: 1, what: 'revision missing' });
    expect(broken(renumbered(without))).toEqual({ revision: 1, what: changed });
    expect(broken(sealed.slice(1))).toEqual({ revision: 0, what: 'revision missing' });
  });

  it('names the first of two events that changed places', () => {
    const [a, b, c, d] = sealed;
    expect(broken(renumbered([a, c, b, d]))).toEqual({ revision: 1, what: changed });
    expect(broken(renumbered([a, b, b, c, d]))).toEqual({ revision: 2, what: changed });
  });

  it('names an event that was moved here from another stream, and a stream moved whole', () => {
    const other = seal(texts, 'action-2');
    expect(broken(renumbered([sealed[0], other[1], ...sealed.slice(2)]))).toEqual({
      revision: 1,
      what: changed,
    });
    expect(broken(sealed, 'action-2')).toEqual({ revision: 0, what: changed });
  });

  it('tells where one text ends and the next begins', () => {
    const base = { id: 'a', type: 'b', data: '{"x":1,"y":2}', metadata: '{"at":1}' };
    const moved = [
      { ...base, id: 'a","b', type: '' },
      { ...base, data: '{"x":1', metadata: '"y":2},{"at":1}' },
      { ...base, data: '{"x":1,"y":2},{"at":1}', metadata: '' },
    ];
    const hash = chainHash(sha256, 'start', base);
    for (const each of moved) expect(chainHash(sha256, 'start', each)).not.toBe(hash);
  });

  it('breaks at the very event, whatever character of it is changed', () => {
    const members = ['id', 'type', 'data', 'metadata'] as const;
    fc.assert(
      fc.property(
        fc.nat({ max: 3 }),
        fc.constantFrom(...members),
        fc.nat(),
        fc.string({ minLength: 1, maxLength: 1 }),
        (revision, member, place, character) => {
          const events = sealed.map((event) => {
            if (event.revision !== revision) return event;
            const text = event[member];
            const index = place % text.length;
            return { ...event, [member]: text.slice(0, index) + character + text.slice(index + 1) };
          });
          const untouched = events[revision]?.[member] === sealed[revision]?.[member];
          expect(broken(events)?.revision).toBe(untouched ? undefined : revision);
        },
      ),
    );
  });
});

describe('sealed metadata', () => {
  it('carries its hash as the last member, and gives it back', () => {
    const hash = 'B'.repeat(43);
    const text = sealMetadata('{"at":1}', hash);
    expect(text).toBe(`{"at":1,"hash":"${hash}"}`);
    expect(JSON.parse(text)).toEqual({ at: 1, hash });
    expect(unsealMetadata(text)).toEqual({ metadata: '{"at":1}', hash });
  });

  it.each([
    '',
    '{}',
    'null',
    '{"at":1}',
    '{"at":1,"hash":"short"}',
    `{"hash":"${'B'.repeat(43)}"}`,
    `,"hash":"${'B'.repeat(43)}"}`,
    `{,"hash":"${'B'.repeat(43)}"}`,
    `{"at":1,"hash":"${'B'.repeat(43)}","z":1}`,
    `{"at":1,"hash":"${'B'.repeat(43)}"} `,
    `{"at":1,"Hash":"${'B'.repeat(43)}"}`,
  ])('is not found in rubbish: %s', (rubbish) => {
    expect(unsealMetadata(rubbish)).toBeUndefined();
  });

  it('is found or not, and never thrown about', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 120, unit: 'binary' }), (rubbish) => {
        const found = unsealMetadata(rubbish);
        if (found !== undefined) expect(sealMetadata(found.metadata, found.hash)).toBe(rubbish);
      }),
    );
  });
});
