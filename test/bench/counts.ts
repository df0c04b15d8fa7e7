// What is counted rather than timed, in runs of its own: the bytes that an action leaves in the file,
// and what the kernel was really asked to sync (fsync and fdatasync of all threads, under strace).
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchOptions, type ContenderName } from './options.ts';
import { type Counted } from './report.ts';
import { yardstick } from './sample.ts';
import { storedBytes } from './stored-bytes.ts';
import { closeContender, type World } from './world.ts';

const countedActions = 2000;

/** The ledger first: the yardstick is to store as many bytes as it does. */
export async function countAll(
  world: World,
  options: BenchOptions,
  progress: (text: string) => void,
): Promise<ReadonlyMap<ContenderName, Counted>> {
  const counted = new Map<ContenderName, Counted>();
  const traces = canTrace();
  for (const contender of ledgerFirst(options.contenders)) {
    progress(`counting bytes and syncs of ${contender}`);
    const bytes = await countBytes(world, contender);
    if (contender === 'ledger' && options.yardstickBytes === undefined) {
      world.setYardstickBytes(Math.round(bytes.logical));
    }
    const syncs = new Map<string, number>();
    for (const callers of traces ? options.callers : []) {
      const { W1, W2 } = await countSyncs(world, contender, callers, options);
      syncs.set(`W1 ${callers}`, W1).set(`W2 ${callers}`, W2);
    }
    counted.set(contender, {
      bytesPerAction: bytes.logical,
      diskBytesPerAction: bytes.onDisk,
      syncsPerAction: (work, callers) => syncs.get(`${work} ${callers}`) ?? null,
    });
  }
  return counted;
}

export function canTrace(): boolean {
  return spawnSync('strace', ['-qq', '-o', '/dev/null', 'true']).status === 0;
}

function ledgerFirst(contenders: readonly ContenderName[]): readonly ContenderName[] {
  const isYardstick = (name: ContenderName): boolean =>
    name === yardstick || name === 'sqlite-each';
  return [...contenders].sort((a, b) => Number(isYardstick(a)) - Number(isYardstick(b)));
}

async function countBytes(
  world: World,
  contender: ContenderName,
): Promise<{ readonly logical: number; readonly onDisk: number }> {
  const place = world.place(contender);
  const child = await world.start(place);
  const order = { type: 'slice', work: 'W1', callers: 16, millisMin: 0 } as const;
  const { actions } = await child.ask({ ...order, actionsMin: countedActions }, 'slice done');
  await closeContender(child);
  const { logical, onDisk } = storedBytes(place.dir);
  return { logical: logical / actions, onDisk: onDisk / actions };
}

/** Per action, checkpoints included. */
async function countSyncs(
  world: World,
  contender: ContenderName,
  callers: number,
  options: BenchOptions,
): Promise<{ readonly W1: number; readonly W2: number }> {
  const place = world.place(contender);
  const log = join(place.dir, 'strace.log');
  const child = await world.start(place, log);
  const order = { type: 'slice', callers, actionsMin: options.actions } as const;
  const perAction = async (work: 'W1' | 'W2', millisMin: number): Promise<number> => {
    const before = syncsIn(log);
    const { actions } = await child.ask({ ...order, work, millisMin }, 'slice done');
    return (syncsIn(log) - before) / actions;
  };
  await perAction('W1', options.sliceMs / 2);
  const W1 = await perAction('W1', options.sliceMs);
  const W2 = contender === 'http' ? 0 : await perAction('W2', options.sliceMs / 4);
  await closeContender(child);
  return { W1, W2 };
}

/** A call that another thread interrupts is written twice, its second half without a parenthesis. */
function syncsIn(log: string): number {
  return readFileSync(log, 'utf8').match(/\b(fsync|fdatasync)\(/g)?.length ?? 0;
}
