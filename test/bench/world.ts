// What every measurement shares: the endpoint's process, a folder for files, a way to start contenders.
import { closeSync, fsyncSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, startChild } from './child.ts';
import {
  type ContenderMessage,
  type ContenderReply,
  type ContenderSetting,
  type EffectsMessage,
  type EffectsReply,
} from './messages.ts';
import { type BenchOptions, type ContenderName } from './options.ts';
import { median } from './statistics.ts';

export type ContenderChild = Child<ContenderMessage, ContenderReply>;
type EffectsChild = Child<EffectsMessage, EffectsReply>;

export interface ContenderPlace {
  readonly contender: ContenderName;
  readonly dir: string;
}

export interface World {
  readonly effects: EffectsChild;
  /** An empty folder. */
  place(contender: ContenderName): ContenderPlace;
  /**
   * A process of a contender on a place, which may have been used before. Ready when it resolves.
   * With `syncLog` under strace, which writes a line there for every sync.
   */
  start(place: ContenderPlace, syncLog?: string): Promise<ContenderChild>;
  /** What the yardstick stores per action. */
  yardstickBytes(): number;
  setYardstickBytes(bytes: number): void;
  /** How long this disk takes to sync one page: the median of some tries. */
  readonly syncMs: number;
  close(): Promise<void>;
}

/** What a ledger of this design stores, for runs without one. */
const usualBytesPerAction = 2060;

export async function openWorld(options: BenchOptions): Promise<World> {
  const root = makeFolder(options.dir);
  const effects: EffectsChild = startChild('effects-main.ts', []);
  const { port } = await effects.ask(undefined, 'listening');
  let yardstickBytes = options.yardstickBytes ?? usualBytesPerAction;
  return {
    effects,
    place: (contender) => ({ contender, dir: mkdtempSync(join(root, `${contender}-`)) }),
    start: async (place, syncLog) => {
      const setting: ContenderSetting = {
        ...place,
        port,
        client: options.client,
        yardstickBytes,
      };
      const strace = straceCommand(options.syncDelayMs, syncLog);
      const child: ContenderChild = startChild(
        'contender-main.ts',
        [JSON.stringify(setting)],
        strace,
      );
      await child.ask(undefined, 'ready');
      return child;
    },
    syncMs: measureSync(root),
    yardstickBytes: () => yardstickBytes,
    setYardstickBytes: (bytes) => {
      yardstickBytes = bytes;
    },
    close: async () => {
      await effects.kill('SIGTERM');
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** An empty one, in `dir` or where files of the bench usually go. */
export function makeFolder(dir: string | undefined): string {
  const parent = dir ?? join(import.meta.dirname, '../../node_modules/.cache/bench');
  mkdirSync(parent, { recursive: true });
  return mkdtempSync(join(parent, 'run-'));
}

export async function closeContender(child: ContenderChild): Promise<void> {
  await child.ask({ type: 'close' }, 'closed');
  await child.ended();
}

function straceCommand(syncDelayMs: number, syncLog: string | undefined): readonly string[] {
  if (syncDelayMs === 0 && syncLog === undefined) return [];
  const command = ['strace', '-f', '--seccomp-bpf', '-qq', '-o', syncLog ?? '/dev/null'];
  const events = ['-e', 'trace=fsync,fdatasync', '-e', 'signal=none'];
  const delay = ['-e', `inject=fsync,fdatasync:delay_exit=${syncDelayMs * 1000}`];
  return [...command, ...events, ...(syncDelayMs > 0 ? delay : [])];
}

function measureSync(dir: string): number {
  const file = openSync(join(dir, 'sync-probe'), 'w');
  const page = Buffer.alloc(4096, 1);
  const times = Array.from({ length: 50 }, () => {
    writeSync(file, page);
    const start = performance.now();
    fsyncSync(file);
    return performance.now() - start;
  });
  closeSync(file);
  return median(times);
}
