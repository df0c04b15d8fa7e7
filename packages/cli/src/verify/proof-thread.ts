// Starts the thread that proves chains and index while this one folds the same events. Where it cannot
// be started, or fails, there is no proof, and the caller makes it by itself.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { getCallSites } from 'node:util';
import { Worker } from 'node:worker_threads';
import { type StoreProof } from '@action-ledger/application';

export interface ProofThreadData {
  readonly path: string;
  /** The last position to look at; undefined: as far as there is. */
  readonly through: number | undefined;
}

export interface ProofThread {
  /** Never rejects. */
  readonly proof: Promise<StoreProof | undefined>;
  /** Ends it, finished or not. */
  end(): Promise<void>;
}

/** Most of what it holds was read just now and is let go of: a small nursery would be copied often. */
const resourceLimits = { maxYoungGenerationSizeMb: 64 };

export function startProofThread(data: ProofThreadData): ProofThread | undefined {
  const file = threadFile();
  if (file === undefined) return undefined;
  const execArgv = [...(file.endsWith('.ts') ? sourceFlags : []), quiet];
  const worker = new Worker(file, { workerData: data, execArgv, resourceLimits });
  const proof = new Promise<StoreProof | undefined>((resolve) => {
    worker.on('message', resolve);
    worker.on('error', () => {
      resolve(undefined);
    });
    worker.on('exit', () => {
      resolve(undefined);
    });
  });
  return {
    proof,
    end: async () => {
      await worker.terminate();
    },
  };
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
  const file = path.replace(/proof-thread\.(ts|js)$/, 'proof-thread-main.$1');
  return file !== path && existsSync(file) ? file : undefined;
}
