import { afterEach, describe, expect, it } from '@jest/globals';
import { stopSignal } from './stop-signal.ts';

const listened = ['SIGINT', 'SIGTERM', 'disconnect'];
const before = new Map(listened.map((event) => [event, process.listeners(event as 'SIGINT')]));
const connected = Object.getOwnPropertyDescriptor(process, 'connected');

function connect(value: boolean | undefined): void {
  Object.defineProperty(process, 'connected', { value, configurable: true, writable: true });
}

afterEach(() => {
  if (connected === undefined) Reflect.deleteProperty(process, 'connected');
  else Object.defineProperty(process, 'connected', connected);
  for (const [event, kept] of before)
    for (const listener of process.listeners(event as 'SIGINT'))
      if (!kept.includes(listener)) process.off(event, listener);
});

describe('the signal to stop', () => {
  it('is given where the process that started this one goes', () => {
    connect(true);
    const stop = stopSignal();
    expect(stop.aborted).toBe(false);
    process.emit('disconnect');
    expect(stop.aborted).toBe(true);
  });

  it('is given where that one went before this one listened', () => {
    connect(false);
    expect(stopSignal().aborted).toBe(true);
  });

  it('is not given to a process that nobody waits for', () => {
    connect(undefined);
    expect(stopSignal().aborted).toBe(false);
  });
});
