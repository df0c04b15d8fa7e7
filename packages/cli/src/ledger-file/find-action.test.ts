import { describe, expect, it } from '@jest/globals';
import { actionIdOf, streamOfAction } from '@action-ledger/domain';
import { createMemoryEventStore, type EventStore } from '@action-ledger/event-store';
import { findAction, shortId } from './find-action.ts';

const keyHash = (start: string): string => start.padEnd(43, 'x');
const first = actionIdOf(keyHash('abcdefghijk'), 0);
const second = actionIdOf(keyHash('abcdefghijk'), 1);
const other = actionIdOf(keyHash('abz'), 0);
const dashed = actionIdOf(keyHash('-9'), 0);

async function storeOf(...actionIds: readonly string[]): Promise<EventStore> {
  const store = createMemoryEventStore();
  for (const [index, actionId] of actionIds.entries()) {
    const event = { id: `e${index}`, type: 'ActionPlanned', data: '{}', metadata: '{"at":1}' };
    await store.append(streamOfAction(actionId), 'no stream', [event]);
  }
  return store;
}

describe('findAction', () => {
  it.each([
    [first, first],
    [streamOfAction(other), other],
    ['abz', other],
    ['abcdefghij.1', second],
    [shortId(first), first],
    ['action--9', dashed],
  ])('finds %s', async (typed, actionId) => {
    expect(await findAction(await storeOf(first, second, other, dashed), typed)).toBe(actionId);
  });

  it('names the candidates of a beginning that several share', async () => {
    const store = await storeOf(first, second, other);
    await expect(findAction(store, 'ab')).rejects.toMatchObject({
      code: 'action.ambiguous',
      message: '3 action ids begin with ab: abcdefghij.0, abcdefghij.1, abzxxxxxxx.0',
    });
  });

  it.each(['zz', actionIdOf(keyHash('zz'), 0), 'not an id!', 'abz.7'])(
    'knows no %s',
    async (typed) => {
      await expect(findAction(await storeOf(first, other), typed)).rejects.toMatchObject({
        code: 'action.unknown',
        exitCode: 1,
      });
    },
  );
});
