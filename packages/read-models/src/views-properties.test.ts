// Whatever happens to actions, and however the file is written, closed and opened meanwhile: what it
// answers is what the index in memory answers, and what the folds of the streams say.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { eventTypes, evolve, newAction, transitionsFrom } from '@action-ledger/domain';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { externalIds, orders, runs, sampleEvent, tenants, tools } from '../test-support/samples.ts';
import {
  createFolder,
  createWorld,
  type Folder,
  idOf,
  orderKey,
  type World,
} from '../test-support/world.ts';
import {
  type ActionIndex,
  compareViews,
  createMemoryActionIndex,
  foldThrough,
  type ListFilter,
  type ProjectionBreak,
  rowOf,
  type ActionRow,
  unknownPlace,
} from './index.ts';

let folder: Folder;
beforeEach(() => {
  folder = createFolder(createVirtualRuntime());
});
afterEach(() => {
  folder.remove();
});

const names = ['a', 'b', 'c', 'd', 'e', 'f'] as const;

type Step =
  | { readonly kind: 'event'; readonly name: string; readonly type: number; readonly data: number }
  | { readonly kind: 'flush' | 'reopen' | 'lose views' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('event' as const),
      name: fc.constantFrom(...names),
      type: fc.nat(1_000),
      data: fc.nat(1_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('flush', 'reopen', 'lose views') }),
  },
);

describe('the index in a file', () => {
  it('answers what the index in memory answers, after any events', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const world = createWorld();
        const memory = createMemoryActionIndex();
        world.tell(memory);
        let file = await folder.open(world.store, { matchRules: '0' });
        let rules = 0;
        world.tell({
          note: (...given) => {
            file.note(...given);
          },
        });
        for (const each of steps) {
          if (each.kind === 'event') await happen(world, each);
          else if (each.kind === 'flush') await file.flush();
          else {
            await file.close();
            if (each.kind === 'lose views') rules += 1;
            file = await folder.open(world.store, { matchRules: String(rules) });
          }
        }
        expect(answers(file)).toEqual(answers(memory));
        await file.close();
        const folds = [...world.actions.values()].map(({ id }) =>
          foldThrough(world.store, id, 1e9),
        );
        const rows = (await Promise.all(folds))
          .filter(({ status }) => status !== 'reserved')
          .map(rowOf);
        expect(memory.list({ limit: 100 })).toEqual(rows.sort((a, b) => b.plannedAt - a.plannedAt));
        expect(await breaks(world)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});

/** One of the events that can follow now, or nothing. */
async function happen(world: World, step: Extract<Step, { kind: 'event' }>): Promise<void> {
  const action = world.actions.get(idOf(step.name)) ?? newAction(idOf(step.name));
  const possible = eventTypes.filter((type) => transitionsFrom(action.status, type).length > 0);
  const type = possible[step.type % Math.max(possible.length, 1)];
  if (type === undefined) return;
  const event = sampleEvent(type, step.data, action);
  try {
    evolve(action, event, { revision: action.revision + 1, at: 1 });
  } catch {
    return;
  }
  await world.append(step.name, event);
}

function answers(index: ActionIndex): unknown {
  const filters: Omit<ListFilter, 'limit'>[] = [{}];
  for (const tenant of [undefined, ...tenants])
    for (const tool of [undefined, ...tools])
      for (const status of [undefined, 'succeeded', 'ready', 'unknown'] as const)
        for (const run of [undefined, ...runs])
          filters.push({
            ...(tenant === undefined ? {} : { tenant }),
            ...(tool === undefined ? {} : { tool }),
            ...(status === undefined ? {} : { status }),
            ...(run === undefined ? {} : { run }),
          });
  return {
    lists: filters.map((filter) => [
      index.list({ ...filter, limit: 3 }),
      index.list({ ...filter, limit: 100 }),
    ]),
    unknowns: tenants.flatMap((tenant) => [
      index.unknowns({ tenant, limit: 100 }),
      pagedUnknowns(index, tenant),
    ]),
    open: [...index.openActions()].sort(),
    undoable: tenants.flatMap((tenant) =>
      orders.map((order) => index.undoable(orderKey(tenant, order))),
    ),
    owners: tenants.flatMap((tenant) =>
      tools.flatMap((tool) =>
        externalIds.map((id) => index.ownerOfExternalId(tenant, tool, id) ?? null),
      ),
    ),
  };
}

/** One row a page. */
function pagedUnknowns(index: ActionIndex, tenant: string): readonly ActionRow[] {
  const rows: ActionRow[] = [];
  for (;;) {
    const last = rows.at(-1);
    const after = last === undefined ? {} : { after: unknownPlace(last) };
    const [row] = index.unknowns({ tenant, ...after, limit: 1 });
    if (row === undefined) return rows;
    rows.push(row);
  }
}

async function breaks(world: World): Promise<readonly ProjectionBreak[]> {
  const found: ProjectionBreak[] = [];
  const fold = (actionId: string, through: number) => foldThrough(world.store, actionId, through);
  for await (const each of compareViews({ path: folder.path, fold })) found.push(each);
  return found;
}
