// Runs the real command as a process of its own, and temporary folders for its files.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const root = join(__dirname, '../..');
export const bin = join(root, 'packages/cli/bin/action-ledger.js');

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Flags of Node itself. */
  readonly node?: readonly string[];
  readonly bin?: string;
}

export function startCli(args: readonly string[], options: RunOptions = {}): ChildProcess {
  const { ACTION_LEDGER_PATH: _, ...env } = process.env;
  return spawn(process.execPath, [...(options.node ?? []), options.bin ?? bin, ...args], {
    cwd: options.cwd ?? tmpdir(),
    env: { ...env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export function runCli(args: readonly string[], options?: RunOptions): Promise<Finished> {
  return finished(startCli(args, options));
}

export function finished(child: ChildProcess): Promise<Finished> {
  return new Promise((resolve, reject) => {
    let out = '';
    let err = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      resolve({ code, signal, out, err });
    });
  });
}

export interface Folder {
  readonly path: string;
  readonly file: (name: string) => string;
  readonly remove: () => void;
}

export function temporaryFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'action-ledger-e2e-'));
  return {
    path,
    file: (name) => join(path, name),
    remove: () => {
      rmSync(path, { recursive: true, force: true });
    },
  };
}
