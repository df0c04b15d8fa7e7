// The wire of a server-sent stream: a response of Node that stays open.
import { type ServerResponse } from 'node:http';
import { type Runtime } from '@action-ledger/runtime';
import { type Wire } from './event-hub.ts';

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
    drained: (withinMs) => drained(raw, runtime, withinMs),
  };
}

async function drained(raw: ServerResponse, runtime: Runtime, withinMs: number): Promise<boolean> {
  if (!raw.writableNeedDrain) return !raw.destroyed;
  return new Promise((resolve) => {
    const over = (isDrained: boolean) => (): void => {
      stuck.cancel();
      raw.off('drain', onDrain);
      raw.off('close', onClose);
      resolve(isDrained);
    };
    const onDrain = over(true);
    const onClose = over(false);
    const stuck = runtime.timers.after(withinMs, onClose);
    raw.on('drain', onDrain);
    raw.on('close', onClose);
  });
}
