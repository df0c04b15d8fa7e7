// When which tool was paused, as it is on record: nothing of it is sent meanwhile.
import { type Story } from '../record.ts';
import { second } from '../times.ts';

export interface Paused {
  readonly tool: unknown;
  readonly from: number;
  readonly until: number;
}

export function pausesIn(others: readonly Story[]): readonly Paused[] {
  const facts = others.find(({ stream }) => stream === 'pauses')?.facts ?? [];
  return facts.flatMap(({ type, at, data, revision }) => {
    if (type !== 'LedgerPaused') return [];
    const end = facts.find(
      (each) =>
        each.type === 'LedgerResumed' &&
        each.revision > revision &&
        each.data['tool'] === data['tool'],
    );
    return [{ tool: data['tool'], from: at, until: (end?.at ?? Infinity) + second }];
  });
}

export function pausedWithin(
  pauses: readonly Paused[],
  tool: string,
  from: number,
  until: number,
): number {
  return pauses
    .filter((each) => each.tool === tool)
    .reduce((sum, each) => sum + overlap(each, from, until), 0);
}

function overlap(paused: Paused, from: number, until: number): number {
  return Math.max(0, Math.min(until, paused.until) - Math.max(from, paused.from));
}
