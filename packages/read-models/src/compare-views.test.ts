import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createMemoryEventStore, type EventStore } from '@action-ledger/event-store';
import { createVirtualRuntime } from '@action-ledger/testkit';
import {
  createFolder,
  createWorld,
  finish,
  type Folder,
  idOf,
  plan,
  undone,
  type World,
} from '../test-support/world.ts';
import { compareViews, foldThrough, type ProjectionBreak } from './index.ts';

let folder: Folder;
let world: World;

beforeEach(async () => {
  folder = createFolder(createVirtualRuntime());
  world = createWorld();
  await finish(world, 'a');
  await finish(world, 'b');
  await (await folder.open(world.store)).close();
});
afterEach(() => {
  folder.remove();
});

async function compare(
  store: EventStore = world.store,
  path = folder.path,
): Promise<readonly Omit<ProjectionBreak, 'invariant'>[]> {
  const found: Omit<ProjectionBreak, 'invariant'>[] = [];
  const fold = (actionId: string, through: number) => foldThrough(store, actionId, through);
  for await (const { invariant, ...rest } of compareViews({ path, fold })) {
    expect(invariant).toBe('projection-equals-fold');
    found.push(rest);
  }
  return found;
}

const without = (lost: (stream: string, revision: number) => boolean): EventStore =>
  createMemoryEventStore({
    events: world.store.events().filter(({ stream, revision }) => !lost(stream, revision)),
  });
const stream = (name: string): string => `action-${idOf(name)}`;

describe('comparing a views file with the streams', () => {
  it('finds nothing where they agree, also while the file lags behind', async () => {
    expect(await compare()).toEqual([]);
    await world.append('a', undone);
    await world.append('c', plan());
    expect(await compare()).toEqual([]);
  });

  it('names the last event of a stream that is gone', async () => {
    const store = without((each, revision) => each === stream('a') && revision === 3);
    expect(await compare(store)).toEqual([
      {
        stream: stream('a'),
        detail:
          'The projection has seen revision 3, and the stream ends at 2: revision 3 is missing.',
      },
    ]);
  });

  it('names a stream that is gone as a whole', async () => {
    const store = without((each) => each === stream('b'));
    expect(await compare(store)).toEqual([
      {
        stream: stream('b'),
        detail:
          'The projection has seen revision 3, and the stream ends at -1: revisions 0 to 3 are missing.',
      },
    ]);
  });

  it('names a projection that says something else', async () => {
    const db = new DatabaseSync(folder.path);
    db.exec(`update actions set status = 'failed' where action = '${idOf('a')}'`);
    db.exec(`update actions set revision = 2 where action = '${idOf('b')}'`);
    db.close();
    expect(await compare()).toEqual([
      {
        stream: stream('a'),
        detail: 'At revision 3 the projection says failed, the stream succeeded.',
      },
      { stream: stream('b'), detail: 'The projection stands at revision 2, the stream at 3.' },
    ]);
  });

  it('passes over what cannot be folded', async () => {
    const found: ProjectionBreak[] = [];
    for await (const each of compareViews({ path: folder.path, fold: () => undefined }))
      found.push(each);
    expect(found).toEqual([]);
  });

  it('compares nothing where there is no file of this version', async () => {
    expect(await compare(createMemoryEventStore(), `${folder.path}.missing`)).toEqual([]);
    writeFileSync(folder.path, 'no database');
    expect(await compare(createMemoryEventStore())).toEqual([]);
  });
});
