// Judges a crash run by what happened outside (the endpoint's count) against what callers were told.
import { type Told } from './contender.ts';

export interface CrashVerdict {
  /** Effects beyond one per payment. */
  readonly doubled: number;
  /** Payments told to have failed that took effect. */
  readonly toldFailed: number;
  /** Told done without an effect, or took effect and nobody was told, or will be. */
  readonly lost: number;
  /** Still "being checked" at the end. */
  readonly open: number;
}

export function judge(
  actions: number,
  told: ReadonlyMap<number, Told>,
  effectsOf: (payment: number) => number,
): CrashVerdict {
  const verdict = { doubled: 0, toldFailed: 0, lost: 0, open: 0 };
  for (let n = 0; n < actions; n += 1) {
    const effects = effectsOf(n);
    const last = told.get(n);
    verdict.doubled += Math.max(0, effects - 1);
    if (last === 'failed' && effects > 0) verdict.toldFailed += 1;
    if (last === 'being checked') verdict.open += 1;
    const claimsDone = last === 'done' || last === 'duplicate';
    if (last === undefined || (claimsDone && effects === 0)) verdict.lost += 1;
  }
  return verdict;
}
