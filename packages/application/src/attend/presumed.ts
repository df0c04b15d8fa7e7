// What may have been done without a trace while the record was not whole: whatever was open when it
// ended, and what is proposed for the first time soon after it was taken up again. Both are taken to
// have been dispatched then, and are in doubt.
import { type Action, type Presumption } from '@action-ledger/domain';
import { type Tool } from '@action-ledger/tools';
import { type Parts, toolOf } from '../core/parts.ts';
import { sideBySide } from '../core/side-by-side.ts';
import { type Recovery } from '../people/recoveries.ts';
import { downstreamKeyFor } from '../attempt/send.ts';

/** Of an action that is proposed for the first time now; undefined where nothing of it can be lost. */
export function presumptionFor(
  parts: Parts,
  tool: Tool,
  of: {
    readonly actionId: string;
    /** The epoch before it. */
    readonly previous: Action | undefined;
    readonly undoes: readonly string[];
  },
): Presumption | undefined {
  if (parts.recoveries.length === 0 || tool.observes !== undefined) return undefined;
  const now = parts.clock.nowMs();
  const validForMs = longestValidForMs(parts);
  // What is known to be missing was done then, however late it is proposed again.
  const near = parts.recoveries.filter(
    ({ at, lost }) => now < at + validForMs || lost.has(of.actionId),
  );
  return isAnswered(tool, of.previous, near) ? undefined : presumption(parts, tool, near, of);
}

/**
 * With nothing to ask, a person has said of the epoch before what was done of this in the lost time.
 * To ask again at each epoch would leave no way to do it.
 */
function isAnswered(tool: Tool, previous: Action | undefined, near: readonly Recovery[]): boolean {
  const newest = near.at(-1)?.name;
  return (
    tool.rules.guarantee === 'manual' &&
    previous?.attempts.some(({ presumed }) => presumed === newest) === true
  );
}

/** Of an action that was open when the record ended. */
export function presumptionOfOpen(
  parts: Parts,
  tool: Tool,
  { id, plannedAt, undoes }: Action,
): Presumption | undefined {
  const since = parts.recoveries.filter(({ at }) => plannedAt <= at);
  return presumption(parts, tool, since, { actionId: id, undoes });
}

function presumption(
  parts: Parts,
  tool: Tool,
  recoveries: readonly Recovery[],
  { actionId, undoes }: { readonly actionId: string; readonly undoes: readonly string[] },
): Presumption | undefined {
  const newest = recoveries.at(-1);
  if (newest === undefined) return undefined;
  return {
    recovery: newest.name,
    knownUntil: Math.min(...recoveries.map(({ knownUntil }) => knownUntil)),
    downstreamKey: downstreamKeyFor(parts, tool, actionId),
    ...(undoes.length === 0 ? {} : { undoes }),
  };
}

/** So long after its first proposal the call of an action may be made again. */
export function longestValidForMs({
  tools,
  callerTools,
}: Pick<Parts, 'tools' | 'callerTools'>): number {
  const all = [...tools.all, ...callerTools.list()];
  return Math.max(0, ...all.map(({ rules }) => rules.validForMs));
}

/**
 * Whatever was open when the record ended may have been sent after that. Where nobody serves the
 * tool nothing is sent either, so that it can wait for a process that does.
 */
export async function presumeOpen(parts: Parts, open: readonly string[]): Promise<void> {
  if (parts.store.condition().kind !== 'ready') return;
  if (parts.recoveries.length === 0) return;
  await sideBySide(open, (actionId) =>
    parts.actions.perform(actionId, (action) => {
      const tool = toolOf(parts, action);
      if (tool === undefined || !mayHaveGoneOn(action)) return undefined;
      const presumed = presumptionOfOpen(parts, tool, action);
      return presumed && { type: 'PresumeAttempt', rules: tool.rules, ...presumed };
    }),
  );
}

/** What is dispatched comes into doubt by itself. */
function mayHaveGoneOn({ status }: Action): boolean {
  return (
    status === 'planned' ||
    status === 'awaiting_approval' ||
    status === 'ready' ||
    status === 'claimed' ||
    status === 'unknown'
  );
}

/** Its success was found: what brought it about was dispatched in the lost time, not by this record. */
export function isOfLostTime({ outcome, attempts }: Action): boolean {
  const isLost = attempts.length > 0 && attempts.every(({ presumed }) => presumed !== undefined);
  return outcome !== undefined && isLost;
}
