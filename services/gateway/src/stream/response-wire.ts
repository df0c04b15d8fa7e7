// The wire of a server-sent stream: a response of Node that stays open.
import { type ServerResponse } from 'node:http';
import { type Runtime } from '@action-ledger/runtime';
import { type Wire } from './event-hub.ts';

/** A reader that takes nothing for so long while it is brought up to date is dropped. */
const stuckMs = 30_000;

export function openWire(raw: ServerResponse, runtime: Runtime): Wire {
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // Proxies that collect answers before they hand them on would hand on nothing.
    'x-accel-buffering': 'no',
  });
  raw.write(': open\n\n');
  return {
    lag: () => raw.writableLength,
    write: (text) => {
      if (text !== '' && !raw.destroyed) raw.write(text);
    },
    end: () => {
      raw.end();
    },
    drop: () => {
      raw.destroy();
    },
    drained: () => drained(raw, runtime),
  };
}

async function drained(raw: ServerResponse, runtime: Runtime): Promise<void> {
  if (!raw.writableNeedDrain) return;
  await new Promise<void>((resolve) => {
    const over = (): void => {
      stuck.cancel();
      raw.off('drain', over);
      raw.off('close', over);
      resolve();
    };
    const stuck = runtime.timers.after(stuckMs, () => {
      raw.destroy();
      over();
    });
    raw.on('drain', over);
    raw.on('close', over);
  });
}
