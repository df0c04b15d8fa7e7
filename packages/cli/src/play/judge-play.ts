// The end of a play, judged from outside: the ledger's file is read event by event, and held against
// what the provider counted by itself.
import { type BrokenRecord, readEvents, verifyLedger } from '@action-ledger/application';
import { unsealActionEvent } from '@action-ledger/codec';
import { type Action, checkLedger, type InvariantName } from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';
import { type Effect, type KeyTally, type SandboxProvider } from '@action-ledger/sandbox';
import { foldLedger } from '../ledger-file/fold-ledger.ts';
import { sha256 } from '../sha256.ts';

export interface Verdict {
  readonly actions: number;
  readonly succeeded: number;
  readonly failed: number;
  /** As the provider counts: writes of one absolute value are one. */
  readonly effects: number;
  readonly doubledEffects: number;
  readonly lostEffects: number;
  readonly ownerless: number;
  readonly unknown: { readonly found: number; readonly absent: number; readonly open: number };
  /** Open at the end, by guarantee and tool. */
  readonly open: readonly Action[];
  /** Planned behind an undoer that rests with an operator. */
  readonly waiting: number;
  /** The succeeded action with the most to tell. */
  readonly longest: Action | undefined;
  readonly brokenInvariants: readonly BrokenRecord[];
  /** Actions that a caller was told of as succeeded, and which have no outcome on record. */
  readonly misled: readonly string[];
}

/** Everything has come to rest long before: what is half now stays half. */
const afterTheEndMs = 24 * 3_600_000;

/** @param toldSucceeded ids of the actions that callers were told of as succeeded */
export async function judgePlay(
  store: EventStore,
  provider: SandboxProvider,
  toldSucceeded: ReadonlySet<string>,
): Promise<Verdict> {
  const { actions } = await foldLedger(store);
  const newest = actions.reduce((latest, { updatedAt }) => Math.max(latest, updatedAt), 0);
  const now = newest + afterTheEndMs;
  const { brokenInvariants } = await verifyLedger(store, { sha256, nowMs: now });
  const tallies = provider.tally();
  const byProvider = checkLedger(actions, { now, provider: tallies }).filter(({ invariant }) =>
    toldByProvider.has(invariant),
  );
  return {
    ...countActions(actions),
    ...countEffects(actions, tallies),
    unknown: { ...(await countVerdicts(store)), open: actions.filter(isUnknown).length },
    brokenInvariants: [...brokenInvariants, ...byProvider, ...checkEndStates(actions, provider)],
    misled: misledBy(actions, toldSucceeded),
  };
}

function misledBy(actions: readonly Action[], told: ReadonlySet<string>): readonly string[] {
  const done = new Set(actions.filter(({ outcome }) => outcome !== undefined).map(({ id }) => id));
  return [...told].filter((id) => !done.has(id));
}

/** The rest has been checked with the file. */
const toldByProvider: ReadonlySet<InvariantName> = new Set([
  'requests-within-attempts',
  'effects-at-most-one',
]);

function countActions(
  actions: readonly Action[],
): Pick<
  Verdict,
  'actions' | 'succeeded' | 'failed' | 'ownerless' | 'open' | 'waiting' | 'longest'
> {
  return {
    actions: actions.length,
    succeeded: actions.filter(({ status }) => status === 'succeeded').length,
    failed: actions.filter(({ status }) => status === 'failed').length,
    ownerless: actions.filter(isOwnerless).length,
    open: actions.filter(isUnknown),
    waiting: actions.filter(({ status }) => status === 'planned').length,
    longest: actions.reduce(longer, undefined),
  };
}

function longer(longest: Action | undefined, action: Action): Action | undefined {
  if (action.status !== 'succeeded') return longest;
  const more = action.revision - (longest?.revision ?? -1);
  // Of equals the same one every time, whatever was planned first.
  return more > 0 || (more === 0 && action.id < (longest?.id ?? '')) ? action : longest;
}

function isUnknown({ status }: Action): boolean {
  return status === 'unknown';
}

function isOwnerless({ status, watch, incidents }: Action): boolean {
  const isWatched = watch !== undefined && Number.isFinite(watch.nextCheckAt);
  if ((status === 'unknown' || status === 'compensation_failed') && !isWatched) return true;
  return incidents.some(({ nextCheckAt }) => !Number.isFinite(nextCheckAt));
}

function countEffects(
  actions: readonly Action[],
  tallies: readonly KeyTally[],
): Pick<Verdict, 'effects' | 'doubledEffects' | 'lostEffects'> {
  const nameOf = (tenant: string, key: string): string => JSON.stringify([tenant, key]);
  const counted = new Map(tallies.map((each) => [nameOf(each.tenant, each.key), each.effects]));
  let lost = 0;
  for (const action of actions) {
    const name = nameOf(action.tenant, action.downstreamKey ?? '');
    const effects = counted.get(name) ?? 0;
    counted.delete(name);
    const isKnown = action.outcome !== undefined || (isUnknown(action) && !isOwnerless(action));
    if (effects === 0 && action.status === 'succeeded') lost += 1;
    if (effects > 0 && !isKnown && action.status !== 'superseded') lost += effects;
  }
  // What is left bears a key that no action has.
  for (const effects of counted.values()) lost += effects;
  return {
    effects: tallies.reduce((sum, { effects }) => sum + effects, 0),
    doubledEffects: tallies.reduce((sum, { effects }) => sum + Math.max(0, effects - 1), 0),
    lostEffects: lost,
  };
}

/** The value of the last epoch that succeeded stands. */
function checkEndStates(
  actions: readonly Action[],
  provider: SandboxProvider,
): readonly BrokenRecord[] {
  const latest = new Map<string, { readonly action: Action; readonly effect: Effect }>();
  for (const action of actions) {
    if (action.guarantee !== 'natural' || action.outcome === undefined) continue;
    const effect = provider.ofKey(action.tenant, action.downstreamKey ?? '')[0];
    if (effect?.entity === undefined) continue;
    const name = JSON.stringify([action.tenant, action.tool, effect.entity]);
    const known = latest.get(name);
    if (known === undefined || known.action.epoch < action.epoch)
      latest.set(name, { action, effect });
  }
  return [...latest.values()].flatMap(({ action, effect }) => {
    const stands = provider.endState(action.tenant, action.tool, effect.entity ?? '');
    if (stands?.key === action.downstreamKey) return [];
    const detail = `the newest value of ${effect.entity ?? ''} was overwritten by an older one`;
    return [{ stream: `action-${action.id}`, invariant: 'effects-at-most-one', detail } as const];
  });
}

/** How unknown outcomes were settled without another dispatch. */
async function countVerdicts(
  store: EventStore,
): Promise<{ readonly found: number; readonly absent: number }> {
  const verdicts = { found: 0, absent: 0 };
  for await (const batch of readEvents(store, { after: 0 })) {
    for (const recorded of batch) {
      if (recorded.type !== 'ActionReconciled') continue;
      const { event } = unsealActionEvent(recorded);
      if (event.type === 'ActionReconciled') verdicts[event.data.verdict] += 1;
    }
  }
  return verdicts;
}
