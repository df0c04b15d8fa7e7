// Runs the blocks of a page in order, in one folder of its own that sees the repository's packages.
// What a block is for stands in its info string:
//   ```ts file=refund.ts            written to a file
//   ```sh run=first                 run there (`in=repository`: in the root of the repository)
//   ```sh run=up until=Ctrl-C       left running once it has printed that; ended with the page
//   ```text output-of=first         what that run printed
//   ```text picture                 only to look at
// The usual port gives way to one that is free, so that pages do not meet, nor a ledger of the reader's.
// An output must be equal but for what no two runs have in common: see `withoutChance`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Block, root } from './pages.ts';

export type Purpose =
  | { readonly kind: 'file'; readonly file: string }
  | {
      readonly kind: 'run';
      readonly run: string;
      readonly inRepository: boolean;
      readonly until: string | undefined;
    }
  | { readonly kind: 'output'; readonly of: string }
  | { readonly kind: 'picture' };

/** @throws Error where nothing says what the block is for */
export function purposeOf({ name, language, options }: Block): Purpose {
  const { file, run, 'output-of': of, in: where, until } = options;
  if (file !== undefined && /^[\w-]+(\.[\w-]+)+$/.test(file)) return { kind: 'file', file };
  if (language === 'sh' && run !== undefined)
    return { kind: 'run', run, inRepository: where === 'repository', until };
  if (of !== undefined) return { kind: 'output', of };
  if (language === 'text' && 'picture' in options) return { kind: 'picture' };
  throw new Error(`${name} must say what it is for: file=…, run=… (sh) or output-of=…`);
}

/** What a run printed, on both of its streams as it came. */
export interface Ran {
  readonly output: string;
  readonly exitCode: number | null;
}

export interface RunOptions {
  readonly inRepository: boolean;
  /** Left running when it has printed this; its exit code is 0 until then. */
  readonly until: string | undefined;
}

export interface Playground {
  readonly folder: string;
  write(file: string, text: string): void;
  run(command: string, options: RunOptions): Promise<Ran>;
  /** Ends what was left running. */
  close(): Promise<void>;
}

export async function createPlayground(): Promise<Playground> {
  const folder = mkdtempSync(join(tmpdir(), 'action-ledger-docs-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const port = String(await freePort());
  const left: Running[] = [];
  return {
    folder,
    write: (file, text) => {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text.replaceAll(portUsual, port));
    },
    run: async (command, { inRepository, until }) => {
      const running = runShell(
        command.replaceAll(portUsual, port),
        inRepository ? root : folder,
        port,
        until,
      );
      if (until !== undefined) left.push(running);
      const { output, exitCode } = await running.ran;
      return { output: output.replaceAll(`:${port}/`, `:${portUsual}/`), exitCode };
    },
    close: async () => {
      await Promise.all(left.map(({ end }) => end()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const portUsual = '7373';

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject).listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => {
        resolve(port);
      });
    });
  });
}

/** A block that runs longer is ended, with everything it has started. */
export const runMsMax = 50_000;

interface Running {
  /** Until it ends, or has printed what it is left running after. */
  readonly ran: Promise<Ran>;
  readonly end: () => Promise<void>;
}

function runShell(command: string, cwd: string, port: string, until: string | undefined): Running {
  const child = spawn('sh', ['-euc', command], {
    cwd,
    env: { ...readersEnvironment(), ACTION_LEDGER_PORT: port },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, so that it can be ended as a whole.
    detached: true,
  });
  const signal = (name: NodeJS.Signals): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, name);
  };
  const closed = once(child, 'close');
  const ran = new Promise<Ran>((resolve, reject) => {
    let output = '';
    const overdue = setTimeout(() => {
      signal('SIGKILL');
      reject(new Error(`Still running after ${runMsMax} ms:\n${command}\nIt printed:\n${output}`));
    }, runMsMax);
    const ended = (exitCode: number | null): void => {
      clearTimeout(overdue);
      resolve({ output, exitCode });
    };
    const take = (chunk: string): void => {
      output += chunk;
      if (until !== undefined && output.includes(until)) ended(0);
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.on('error', reject);
    child.on('close', ended);
  });
  const end = async (): Promise<void> => {
    signal('SIGTERM');
    await closed;
  };
  return { ran, end };
}

/** Not that of the test run: its npm settings, colours and Node options are not the reader's. */
function readersEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^npm_|^NODE_|^JEST_|COLOR|^ACTION_LEDGER_|^INIT_CWD$/i.test(name),
  );
  return { ...Object.fromEntries(kept), npm_config_update_notifier: 'false' };
}

/**
 * A text as two runs of the same commands both print it: times, durations, rates and sizes on disk give
 * way to their names, the lines that npm prints about itself are left out, and blanks at the ends of
 * lines and of the text do not count. Ids stay: they are hashes of what is called, equal in every run.
 */
export function withoutChance(text: string): string {
  return text
    .replaceAll(
      /^(> .*|npm (notice|warn).*|(added|changed|up to date).* in \d+m?s|bootstrap: .*)\n/gm,
      '',
    )
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
    .replaceAll(/\b\d{8}T\d{6}Z/g, '<time>')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d(\.\d+)?)?/g, '<time>')
    .replaceAll(/\d{4}-\d\d-\d\d/g, '<date>')
    .replaceAll(/\b\d\d:\d\d:\d\d(\.\d+)?/g, '<time>')
    .replaceAll(/\b1[6-9]\d{11}\b/g, '<time>')
    .replaceAll(/"(id|hash)":"[\w-]{22,43}"/g, '"$1":"<$1>"')
    .replaceAll(/\bby worker [\w-]+/g, 'by worker <worker>')
    .replaceAll(/-?\b[\d,]+(\.\d+)? (ms|s)\b/g, '<duration>')
    .replaceAll(/"seconds": [\d.]+/g, '"seconds": <duration>')
    .replaceAll(/\b[\d,]+ writes per second/g, '<rate>')
    .replaceAll(/[ \t]+$/gm, '')
    .trim();
}
