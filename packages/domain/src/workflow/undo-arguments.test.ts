import { describe, expect, it } from '@jest/globals';
import { resolveUndoArguments } from './undo-arguments.ts';

const of = {
  arguments: { trip: { id: 't-1' }, rgumentsX: 'no' },
  result: { id: 'r-1', outcomes: 'no' },
  externalId: 'x-1',
};
const resolve = (path: string): unknown => resolveUndoArguments({ id: { $from: path } }, of);

describe('a reference of a compensation', () => {
  it.each([
    ['outcome', of.result],
    ['outcome.id', 'r-1'],
    ['arguments.trip.id', 't-1'],
    ['externalId', 'x-1'],
  ])('%s is what was recorded', (path, id) => {
    expect(resolve(path)).toEqual({ kind: 'resolved', arguments: { id } });
  });

  it.each(['outcomes', 'argumentsX', 'outcome.other', 'arguments', 'id', '', '.id'])(
    'to "%s" leads nowhere, and nothing is guessed',
    (path) => {
      expect(resolve(path)).toEqual({ kind: 'missing', path });
    },
  );
});
