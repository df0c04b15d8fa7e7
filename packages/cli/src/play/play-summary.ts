// What a play ends with, for programs: these members and no others.
import { type BrokenRecord } from '@action-ledger/application';
import { type CallCounts } from './call-tally.ts';
import { type Verdict } from './judge-play.ts';

export interface PlaySummary {
  /** Recorded calls, reads included; what the play delivered a second time is not one more. */
  readonly calls: number;
  readonly actions: number;
  readonly effects: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Recorded calls that got what an earlier one had brought about. */
  readonly duplicatesSuppressed: number;
  readonly conflictsRefused: number;
  readonly invalidRefused: number;
  readonly deferred: number;
  readonly unknown: { readonly found: number; readonly absent: number; readonly open: number };
  readonly doubledEffects: number;
  readonly lostEffects: number;
  readonly ownerless: number;
  readonly brokenInvariants: readonly Broken[];
  readonly seconds: number;
}

type Broken = Omit<BrokenRecord, 'invariant'> & { readonly invariant: string };

export interface PlayedCounts {
  readonly counts: Readonly<CallCounts>;
  readonly wrongRedeliveries: readonly string[];
}

export function summarise(
  { counts, wrongRedeliveries }: PlayedCounts,
  verdict: Verdict,
  seconds: number,
): PlaySummary {
  const { actions, effects, succeeded, failed, unknown } = verdict;
  const { doubledEffects, lostEffects, ownerless } = verdict;
  const opened = wrongRedeliveries.map((action) => ({
    stream: `action-${action}`,
    invariant: 'redelivery-opens-nothing',
    detail: 'a second delivery of a call was given an action of its own',
  }));
  const misled = verdict.misled.map((action) => ({
    stream: `action-${action}`,
    invariant: 'told-as-recorded',
    detail: 'a caller was told that it succeeded, and no outcome is on record',
  }));
  return {
    calls: counts.calls,
    actions,
    effects,
    succeeded,
    failed,
    duplicatesSuppressed: counts.suppressed,
    conflictsRefused: counts.conflicts,
    invalidRefused: counts.invalid,
    deferred: counts.deferred,
    unknown,
    doubledEffects,
    lostEffects,
    ownerless,
    brokenInvariants: [...verdict.brokenInvariants, ...opened, ...misled],
    seconds: Math.round(seconds * 100) / 100,
  };
}

/** Nothing doubled, lost, without an owner, or broken. */
export function isSound(summary: PlaySummary): boolean {
  const { doubledEffects, lostEffects, ownerless, brokenInvariants } = summary;
  return doubledEffects + lostEffects + ownerless + brokenInvariants.length === 0;
}
