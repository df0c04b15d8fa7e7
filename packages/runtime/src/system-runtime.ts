// The real clock, timers and randomness of this process.
import { randomFillSync } from 'node:crypto';
import { type Ids, type Randomness, type Runtime } from './runtime.ts';

export function createSystemRuntime(): Runtime {
  return {
    clock: { wallMs: () => Date.now(), monoMs: () => performance.now() },
    timers: {
      after: (delayMs, run, options) => {
        const handle = setTimeout(run, Math.min(delayMs, longestTimerMs));
        if (options?.keepsAlive !== true) handle.unref();
        return {
          cancel: () => {
            clearTimeout(handle);
          },
        };
      },
    },
    randomness: systemRandomness,
    ids: createPooledIds(),
  };
}

/** setTimeout fires at once above 2^31-1 ms; a timer that fires early finds nothing due and waits again. */
const longestTimerMs = 2 ** 31 - 1;

const systemRandomness: Randomness = { next: () => Math.random() };

const idBytes = 16;

/** Random bytes are drawn for many ids at once: one call into the kernel serves 1,024 of them. */
function createPooledIds(): Ids {
  const pool = Buffer.alloc(idBytes * 1024);
  let used = pool.length;
  return {
    next: () => {
      if (used === pool.length) {
        randomFillSync(pool);
        used = 0;
      }
      used += idBytes;
      return pool.toString('base64url', used - idBytes, used);
    },
  };
}
