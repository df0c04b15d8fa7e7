// The outcome of an attempt, told until it is answered: it is the only word of what has happened outside.
import { type Answer, type AttemptOutcome, type Sha256, toRecordable } from '@action-ledger/domain';
import { keptPaths } from '@action-ledger/tools';
import { type Ask, type Told } from '../ask.ts';
import { answerIn, thrownFor } from '../read-answer.ts';
import { pathOf } from '../until-rested.ts';
import { type Pause } from './pause.ts';

export interface Held {
  readonly actionId: string;
  readonly worker: string;
  readonly claim: number;
  readonly attempt: number;
}

export interface ReportDeps {
  readonly ask: Ask;
  readonly pause: Pause;
  readonly sha256: Sha256;
  readonly onFault: (where: string, fault: unknown) => void;
  /** Nothing is told any more. */
  readonly closed: AbortSignal;
}

/**
 * @param keep what is never cut, as the tool declares it
 * @returns what is on record then; undefined where it could not be told
 */
export async function reportOutcome(
  { ask, pause, onFault, closed, sha256 }: ReportDeps,
  { actionId, ...held }: Held,
  outcome: AttemptOutcome,
  keep: readonly string[],
): Promise<Answer | undefined> {
  let toTell = outcome;
  const shorter = [() => shortened(sha256, outcome, keep), () => bare(outcome)];
  for (let tries = 1; ; tries += 1) {
    const body = { ...held, outcome: toTell };
    const told = await ask({ method: 'POST', path: pathOf(actionId, '/outcome'), body });
    if (told.kind === 'answer') return answerIn(told.body['answer']);
    const isMisfit = told.kind === 'problem' && misfits.has(told.status);
    const next = isMisfit ? shorter.shift() : undefined;
    if (next !== undefined) {
      toTell = next();
      continue;
    }
    if (isMisfit || isFinal(told) || closed.aborted) {
      onFault(`outcome of ${actionId}`, thrownFor(told));
      return undefined;
    }
    await pause(tries);
  }
}

const misfits: ReadonlySet<number> = new Set([400, 413, 422]);

/** It would be answered the same again. */
function isFinal(told: Exclude<Told, { kind: 'answer' }>): boolean {
  if (told.kind === 'fault') return false;
  const { status, problem } = told;
  return status === 404 || status === 409 || problem.code === 'stream.broken';
}

/** In bytes, beside what is kept. */
const shortResultBytesMax = 1_024;

/** By which an effect is found, and tried again, is kept where the whole is refused for its form. */
function shortened(
  sha256: Sha256,
  outcome: AttemptOutcome,
  keep: readonly string[],
): AttemptOutcome {
  const { reason = '' } = outcome as { readonly reason?: string };
  switch (outcome.kind) {
    case 'succeeded': {
      const limits = { bytesMax: shortResultBytesMax, keep: keptPaths(keep), sha256 };
      const { value: result, digest } = toRecordable(outcome.result, limits);
      const notes = ['what was noted of the result could not be told'];
      return { ...(digest === undefined ? {} : { digest }), ...outcome, result, notes };
    }
    case 'no effect': {
      const { detail: _detail, ...more } = outcome;
      return { ...more, reason: short(reason) };
    }
    case 'in doubt':
    case 'not sent':
      return { ...outcome, reason: short(reason) };
  }
}

/** What is left where even that is refused. */
function bare(outcome: AttemptOutcome): AttemptOutcome {
  switch (outcome.kind) {
    case 'succeeded':
      return { kind: 'succeeded', result: null, notes: ['the result could not be told'] };
    case 'no effect':
      return { kind: 'no effect', reason: short(outcome.reason), retryable: outcome.retryable };
    case 'in doubt':
      return { kind: 'in doubt', reason: short(outcome.reason), answered: outcome.answered };
    case 'not sent':
      return { kind: 'not sent', reason: short(outcome.reason) };
  }
}

function short(reason: string): string {
  return reason.slice(0, 200);
}
