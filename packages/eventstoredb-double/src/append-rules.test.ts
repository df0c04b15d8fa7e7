// The rules of a real server's write path, case by case (its IndexWriter.CheckCommit).
import { describe, expect, it } from '@jest/globals';
import { decide, type Expected, type StreamState } from './append-rules.ts';

const wrong = { kind: 'wrong expected version' };
const deleted = { kind: 'stream deleted' };

/** A stream that holds these ids. */
function stream(ids: readonly string[], change: Partial<StreamState> = {}): StreamState {
  return {
    last: ids.length - 1,
    isTombstoned: false,
    isSoftDeleted: false,
    hasMetadata: false,
    idAt: (revision) => ids[revision],
    seenAt: (id) => (ids.includes(id) ? ids.indexOf(id) : undefined),
    ...change,
  };
}

const cases: readonly (readonly [string, StreamState, Expected, readonly string[], object])[] = [
  ['a new stream, any', stream([]), 'any', ['a'], { kind: 'write', first: 0 }],
  ['a new stream, no stream', stream([]), 'no stream', ['a'], { kind: 'write', first: 0 }],
  ['a new stream, exact', stream([]), 0, ['a'], wrong],
  ['a new stream, stream exists', stream([]), 'stream exists', ['a'], wrong],
  [
    'metadata alone, stream exists',
    stream([], { hasMetadata: true }),
    'stream exists',
    ['a'],
    { kind: 'write', first: 0 },
  ],
  ['at the last revision', stream(['a', 'b']), 1, ['c'], { kind: 'write', first: 2 }],
  ['at it, the same id', stream(['a', 'b']), 1, ['b'], { kind: 'write', first: 2 }],
  ['above it', stream(['a', 'b']), 2, ['b'], wrong],
  [
    'below it, the same ids',
    stream(['a', 'b']),
    'no stream',
    ['a', 'b'],
    { kind: 'repeat', last: 1 },
  ],
  ['below it, the first ones', stream(['a', 'b', 'c']), 0, ['b'], { kind: 'repeat', last: 1 }],
  ['below it, other ids', stream(['a', 'b']), 0, ['x'], wrong],
  ['below it, in part', stream(['a', 'b', 'c']), 0, ['b', 'x'], wrong],
  ['below it, in another order', stream(['a', 'b']), 'no stream', ['b', 'a'], wrong],
  ['below it, and more than is there', stream(['a', 'b']), 0, ['b', 'c'], wrong],
  ['below it, the id of another place', stream(['a', 'b', 'c']), 1, ['b'], wrong],
  ['below it, nothing', stream(['a']), 'no stream', [], wrong],
  ['any, ids that were seen', stream(['a', 'b']), 'any', ['a', 'b'], { kind: 'repeat', last: 1 }],
  ['any, in part', stream(['a']), 'any', ['a', 'x'], wrong],
  [
    'F105 any, an id that was forgotten',
    stream(['a'], { seenAt: () => undefined }),
    'any',
    ['a'],
    { kind: 'write', first: 1 },
  ],
  ['tombstoned, any', stream(['a'], { isTombstoned: true }), 'any', ['b'], deleted],
  ['tombstoned, the same ids', stream(['a'], { isTombstoned: true }), 'no stream', ['a'], deleted],
  [
    'F107 deleted softly, no stream: it goes on where it was',
    stream(['a'], { isSoftDeleted: true }),
    'no stream',
    ['b'],
    { kind: 'write', first: 1 },
  ],
  [
    'deleted softly, stream exists',
    stream(['a'], { isSoftDeleted: true }),
    'stream exists',
    ['b'],
    deleted,
  ],
];

describe('the append rules of the double', () => {
  it.each(cases)('%s', (_, state, expected, ids, decision) => {
    expect(decide(state, expected, ids)).toEqual(decision);
  });
});
