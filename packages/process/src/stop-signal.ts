// When a process is to stop: it is told so by a signal, or the process that started it has gone. A second
// signal ends it as it would have without us.

export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  const stop = (): void => {
    for (const signal of signals) process.off(signal, stop);
    stopping.abort();
  };
  for (const signal of signals) process.on(signal, stop);
  process.once('disconnect', stop);
  // It may have gone while this one was starting. Undefined where nobody waits for this process.
  if ((process.connected as boolean | undefined) === false) stop();
  return stopping.signal;
}

const signals = ['SIGINT', 'SIGTERM'] as const;
