// How far a play is, on standard error: one line that changes on a terminal, else one every few seconds.
import { thousands } from '../format/count.ts';
import { type Io } from '../io.ts';
import { type Sofar } from './play.ts';

export interface Progress {
  readonly show: (sofar: Sofar) => void;
  readonly end: () => void;
}

export const silent: Progress = { show: () => undefined, end: () => undefined };

const onTerminalMs = 100;
const elsewhereMs = 5_000;

export function createProgress(io: Io): Progress {
  const { clock } = io.runtime;
  const everyMs = io.isTerminal ? onTerminalMs : elsewhereMs;
  const startedMs = clock.monoMs();
  let shownMs = io.isTerminal ? -Infinity : startedMs;
  let isShown = false;
  return {
    show: (sofar) => {
      const now = clock.monoMs();
      if (now - shownMs < everyMs) return;
      shownMs = now;
      const line = progressLine(sofar, (now - startedMs) / 1000);
      if (!io.isTerminal) {
        io.err(`${line}\n`);
        return;
      }
      isShown = true;
      io.err(`\r${line.slice(0, (io.columns ?? line.length + 1) - 1)}\u001b[K`);
    },
    end: () => {
      if (isShown) io.err('\r\u001b[K');
    },
  };
}

function progressLine({ tally, kills, serverKills }: Sofar, seconds: number): string {
  const { runs, calls, opened, suppressed } = tally.counts;
  const dead = kills.length + serverKills;
  const killed = dead === 0 ? '' : `, ${thousands(dead)} kills`;
  return `${Math.round(seconds)} s: ${thousands(runs)} runs, ${thousands(calls)} calls, ${thousands(opened)} actions, ${thousands(suppressed)} duplicates suppressed${killed}`;
}
