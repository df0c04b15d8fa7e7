// Starts the thread that writes the views file. Where it cannot be started (the program was bundled
// into one file), there is none, and the caller goes on writing by itself.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { getCallSites } from 'node:util';
import { Worker } from 'node:worker_threads';
import { type NumberedSideEntry, type ViewsFollower } from '@action-ledger/read-models';

export interface ViewsThreadData {
  readonly storePath: string;
  readonly viewsPath: string;
  /** See match-rules.ts. */
  readonly matchRules: string;
}

export type ToThread =
  | { readonly kind: 'advance'; readonly sides: readonly NumberedSideEntry[] }
  | { readonly kind: 'close' };

export type FromThread =
  | { readonly kind: 'reached'; readonly position: number }
  | { readonly kind: 'fault'; readonly message: string };

/** What it reads at a time is bounded, and so is what it needs. */
const resourceLimits = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 96 };

export function startViewsThread(data: ViewsThreadData): ViewsFollower | undefined {
  const file = threadFile();
  if (file === undefined) return undefined;
  const execArgv = [...(file.endsWith('.ts') ? sourceFlags : []), quiet];
  const worker = new Worker(file, { workerData: data, execArgv, resourceLimits });
  // A ledger that nobody closes does not keep the process alive; a write under way does.
  worker.unref();
  return talkTo(worker);
}

const sourceFlags = ['--conditions=source', '--experimental-strip-types'];
const quiet = '--disable-warning=ExperimentalWarning';

/**
 * Beside this file, whether it runs from its source, from dist or inside Jest. Asked of the stack,
 * because `import.meta` does not exist in all of them.
 */
function threadFile(): string | undefined {
  const here = getCallSites(1)[0]?.scriptName ?? '';
  const path = here.startsWith('file:') ? fileURLToPath(here) : here;
  const file = path.replace(/views-thread\.(ts|js)$/, 'views-thread-main.$1');
  return file !== path && existsSync(file) ? file : undefined;
}

interface Waiting {
  readonly resolve: (position: number) => void;
  readonly reject: (fault: Error) => void;
}

function talkTo(worker: Worker): ViewsFollower {
  let waiting: Waiting | undefined;
  let ended: Error | undefined;
  const settle = (how: (waiting: Waiting) => void): void => {
    const settled = waiting;
    waiting = undefined;
    worker.unref();
    if (settled !== undefined) how(settled);
  };
  const end = (fault: Error): void => {
    ended ??= fault;
    settle(({ reject }) => {
      reject(fault);
    });
  };
  worker.on('message', (message: FromThread) => {
    settle(({ resolve, reject }) => {
      if (message.kind === 'reached') resolve(message.position);
      else reject(new Error(message.message));
    });
  });
  worker.on('error', (fault) => {
    end(fault instanceof Error ? fault : new Error(String(fault)));
  });
  const exited = new Promise<void>((resolve) => {
    worker.on('exit', (code) => {
      end(new Error(`The thread that writes the views has ended (${code}).`));
      resolve();
    });
  });
  const tell = (message: ToThread): void => {
    worker.ref();
    worker.postMessage(message);
  };
  return {
    advance: (sides) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) {
          reject(ended);
          return;
        }
        waiting = { resolve, reject };
        tell({ kind: 'advance', sides });
      }),
    close: async () => {
      if (ended === undefined) tell({ kind: 'close' });
      await exited;
    },
  };
}
