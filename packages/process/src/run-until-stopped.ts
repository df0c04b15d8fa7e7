// From the start of a service until its process is told to stop. What it needs may go away while it starts: then it
// starts anew once that is back.
import { type Waiting, whenThere } from './open-ports.ts';
import { type Running } from './process-parts.ts';

export interface RunOptions extends Waiting {
  readonly onStarted: () => void;
}

/** @throws where it can never start */
export async function runUntilStopped(running: Running, options: RunOptions): Promise<void> {
  const { stop, onStarted } = options;
  // It may have been told to stop while it waited for what it is opened over.
  if (stop.aborted) return;
  const stopped = new Promise<void>((resolve) => {
    stop.addEventListener('abort', () => {
      resolve();
    });
  });
  // A start that waits for a server is ended by `stop`.
  const started = whenThere(() => running.start(), options).then(() => {
    if (!stop.aborted) onStarted();
  });
  // What a start that is given up fails with is no news.
  stop.addEventListener('abort', () => void started.catch(() => undefined));
  await Promise.race([started.then(() => stopped), stopped]);
}
