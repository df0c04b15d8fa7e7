import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createMemoryEventStore } from '@action-ledger/event-store';
import { createVirtualRuntime } from '@action-ledger/testkit';
import {
  createFolder,
  createWorld,
  done,
  doubt,
  finish,
  type Folder,
  idOf,
  plan,
  send,
  type World,
} from '../test-support/world.ts';
import { listFromViews, type ViewsList, type ViewsListFilter } from './index.ts';

let folder: Folder;
let world: World;
beforeEach(() => {
  folder = createFolder(createVirtualRuntime());
  world = createWorld();
});
afterEach(() => {
  folder.remove();
});

/** The file holds all that is in the store so far. */
async function write(): Promise<void> {
  await (await folder.open(world.store)).close();
}

function list(
  filter: ViewsListFilter = {},
  limit = 10,
  store = world.store,
): Promise<ViewsList | undefined> {
  return listFromViews({ viewsPath: folder.path, store, filter, limit });
}

const shown = (...names: readonly string[]): unknown =>
  names.map((name) => ({
    action: idOf(name),
    revision: world.actions.get(idOf(name))?.revision,
  }));

describe('listFromViews', () => {
  beforeEach(async () => {
    await finish(world, 'a');
    await world.append('b', plan({ tool: 'pay' }), ...send, doubt);
    await world.append('c', plan({ tenant: 't-2' }), ...send);
    await write();
  });

  it('lists the newest first, and counts', async () => {
    expect(await list()).toEqual({ shown: shown('c', 'b', 'a'), matching: 3, all: 3 });
    expect(await list({}, 2)).toEqual({ shown: shown('c', 'b'), matching: 3, all: 3 });
  });

  it.each<[ViewsListFilter, readonly string[]]>([
    [{ tenant: 't-2' }, ['c']],
    [{ tool: 'pay' }, ['b']],
    [{ status: 'succeeded' }, ['a']],
    [{ status: 'unknown', tool: 'pay' }, ['b']],
    [{ open: true }, ['c', 'b']],
    [{ tool: 'none' }, []],
  ])('keeps to %j', async (filter, names) => {
    expect(await list(filter)).toEqual({ shown: shown(...names), matching: names.length, all: 3 });
  });

  it('knows what has happened since the file was written', async () => {
    await world.append('c', done('x-9'));
    await world.append('d', plan({ tool: 'pay' }), ...send);
    expect(await list()).toEqual({ shown: shown('d', 'c', 'b', 'a'), matching: 4, all: 4 });
    expect(await list({ open: true })).toEqual({ shown: shown('d', 'b'), matching: 2, all: 4 });
    expect(await list({ status: 'succeeded' })).toMatchObject({ matching: 2 });
    expect(await list({ status: 'dispatched' })).toMatchObject({ shown: shown('d'), matching: 1 });
  });

  it('says nothing without the file, or with one of another store', async () => {
    expect(await list({}, 10, createMemoryEventStore())).toBeUndefined();
    rmSync(folder.path);
    expect(await list()).toBeUndefined();
  });
});
