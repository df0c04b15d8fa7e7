// An action whose events are archived is still known: whatever is asked for again is answered from what is
// kept of it, and nothing is sent a second time.
import { expect, it } from '@jest/globals';
import { archiveActions, type ArchiveFolder, type ArchiveReport } from '@action-ledger/application';
import { eventOfLine } from '@action-ledger/codec';
import { day, firstCall, invoice, laterCall, overEach } from './pay.ts';
import { sha256 } from './sha256.ts';
import { inWorld, type Process, type World } from './world.ts';

function memoryFolder(): ArchiveFolder {
  const files = new Map<string, readonly string[]>();
  return {
    write: async (lines, day) => {
      const name = `archive-${day}-${files.size}.ndjson`;
      files.set(name, lines);
      return name;
    },
    read: async (file) => files.get(file)?.map(eventOfLine),
  };
}

/** The process ends, time passes, and everything that is old is archived. */
async function archived(world: World, process: Process): Promise<ArchiveReport> {
  process.die();
  await world.time.settle();
  world.time.setWall(world.time.clock.wallMs() + 60 * day);
  const settledBefore = world.time.clock.wallMs() - 30 * day;
  const deps = { store: world.store(), runtime: world.time, sha256, folder: memoryFolder() };
  return archiveActions(deps, { settledBefore, by: 'ada', all: true });
}

overEach((payWorld, guarantee) => {
  it('a repeat of an archived action gets its outcome, and has no second effect', () =>
    inWorld(payWorld(), async (world) => {
      const before = await world.start();
      const first = await before.call(invoice, firstCall);
      expect(first.word).toBe('done');
      expect(await archived(world, before)).toMatchObject({ actions: 1, events: 4 });
      expect(await world.events(first.actionId)).toMatchObject([{ type: 'ActionArchived' }]);
      const after = await world.restart();
      for (const call of [firstCall, laterCall])
        expect(await after.call(invoice, call)).toMatchObject({
          word: 'already-done',
          repeat: true,
          actionId: first.actionId,
          result: first.result,
          settledAt: first.settledAt,
        });
      expect(world.provider.arrivals).toHaveLength(1);
    }));

  it('other arguments under the identity of an archived action are met as before', () =>
    inWorld(payWorld(), async (world) => {
      const before = await world.start();
      await before.call(invoice, firstCall);
      await archived(world, before);
      const after = await world.restart();
      const other = await after.call({ ...invoice, cents: 1 }, laterCall);
      const isValue = guarantee === 'natural';
      expect(other.word).toBe(isValue ? 'done' : 'other-arguments');
      expect(world.provider.arrivals).toHaveLength(isValue ? 2 : 1);
    }));
});
