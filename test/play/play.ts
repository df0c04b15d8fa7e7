// Plays recorded calls by the command line, in this process, and hands back its summary; a run can be
// played alone.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Io, run } from '@action-ledger/cli';
import { createSystemRuntime } from '@action-ledger/runtime';

export interface Summary {
  readonly calls: number;
  readonly actions: number;
  readonly effects: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly duplicatesSuppressed: number;
  readonly conflictsRefused: number;
  readonly invalidRefused: number;
  readonly deferred: number;
  readonly unknown: { readonly found: number; readonly absent: number; readonly open: number };
  readonly doubledEffects: number;
  readonly lostEffects: number;
  readonly ownerless: number;
  readonly brokenInvariants: readonly unknown[];
  readonly seconds: number;
}

/** What every play must end with. */
export const sound = { doubledEffects: 0, lostEffects: 0, ownerless: 0, brokenInvariants: [] };

export const sample = join(process.cwd(), 'packages/sandbox/samples/shop.ndjson');

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export function play(...args: readonly string[]): Promise<Ended> {
  return command('play', ...args);
}

/** Any command of `action-ledger`, in this process. */
export async function command(...args: readonly string[]): Promise<Ended> {
  let out = '';
  let err = '';
  const io: Io = {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    isTerminal: false,
    isColoured: false,
    columns: 100,
    env: {},
    runtime: createSystemRuntime(),
    version: '0.0.0',
  };
  const code = await run(args, io);
  return { code, out, err };
}

export async function summaryOf(...args: readonly string[]): Promise<Summary> {
  const { code, out, err } = await play(...args, '--json');
  if (code !== 0) throw new Error(`the play ended with ${code}: ${out}${err}`);
  return JSON.parse(out) as Summary;
}

/** The summary of one run of a file. */
export async function summaryOfRun(
  file: string,
  runId: string,
  ...args: readonly string[]
): Promise<Summary> {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && (JSON.parse(line) as { run_id: string }).run_id === runId);
  if (lines.length === 0) throw new Error(`${file} has no run ${runId}`);
  const folder = mkdtempSync(join(tmpdir(), 'action-ledger-run-'));
  try {
    const alone = join(folder, 'run.ndjson');
    writeFileSync(alone, `${lines.join('\n')}\n`);
    return await summaryOf(alone, '--catalogue', join(dirname(file), 'catalog'), ...args);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
