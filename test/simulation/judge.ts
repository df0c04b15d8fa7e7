// What must hold at the end of a run, judged from the provider's own count and the stored events alone.
import { verifyLedger } from '@action-ledger/application';
import { type Action, checkLedger } from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';
import { type Agents } from './agents.ts';
import { foldsAsFollowed } from './judge-fold.ts';
import { answersAgree, effectsOf, type Known, sentUnder, wasTrue } from './judge-told.ts';
import { sha256 } from './processes.ts';
import { type Watch } from './watch.ts';

export interface Judged extends Known {
  readonly store: EventStore;
  readonly watch: Watch;
  readonly agents: Agents;
  readonly now: number;
}

/** Whatever is so goes on by itself. */
export const moving: ReadonlySet<string> = new Set([
  'planned',
  'awaiting_approval',
  'ready',
  'claimed',
  'dispatched',
  'compensating',
]);

export async function judge(run: Judged): Promise<readonly string[]> {
  const { store, provider, watch, isExcused } = run;
  const { brokenInvariants } = await verifyLedger(store, { sha256 });
  const actions = [...watch.actions.values()];
  const isLost = (key: string): boolean =>
    [...watch.lost.values()].some(({ downstreamKey }) => downstreamKey === key);
  // Of requests of a lost time only the effects are judged, as they come about.
  const tallies = provider.tally().filter(({ key }) => !isExcused(key) && !isLost(key));
  const now = Math.max(run.now, ...actions.map(({ updatedAt }) => updatedAt));
  return [
    ...watch.breaches,
    ...[...brokenInvariants, ...checkLedger(actions, { now, provider: tallies })]
      .filter((each) => !isOfMisled(run.misled, each))
      .map(({ stream, invariant, detail }) => `${stream}: ${invariant}: ${detail}`),
    ...actions.flatMap((action) => [
      ...restsOwned(action),
      ...isAsItWas(run, action),
      ...wasDoneTwice(run, action),
    ]),
    ...run.agents.told.flatMap((told) => wasTrue(run, told)),
    ...answersAgree(run, run.agents.told),
    ...(await foldsAsFollowed(store, watch.actions, () => {
      watch.met('new ActionArchived');
    })),
    ...(run.agents.open() > 0 ? [`${run.agents.open()} calls came to no end`] : []),
  ];
}

/** That two have one effect is found out then, where one of them was told of the other's. */
function isOfMisled(
  misled: Judged['misled'],
  {
    stream,
    invariant,
    detail,
  }: { readonly stream: string; readonly invariant: string; readonly detail: string },
): boolean {
  return (
    invariant === 'one-action-per-external-id' &&
    [...misled].some((id) => stream === `action-${id}` || detail.includes(id))
  );
}

/** When nothing goes wrong any more, every action comes to an end or rests with somebody. */
function restsOwned(action: Action): readonly string[] {
  const { id, status, watch } = action;
  if (status === 'unknown' || status === 'compensation_failed')
    return watch === undefined ? [`${id} is ${status} and nobody's`] : [];
  return moving.has(status) ? [`${id} is ${status}, and does not get on`] : [];
}

/** A success had its effect; an effect is a success on record, or somebody's. */
function isAsItWas(run: Judged, action: Action): readonly string[] {
  const { provider, isExcused, byHand, misled } = run;
  const { id, status, outcome, tenant } = action;
  const isByHand = byHand.has(id);
  // Of a request of a lost time that succeeded, the record may know by evidence alone.
  const downstreamKey = outcome === undefined ? action.downstreamKey : sentUnder(run, action);
  if (downstreamKey === undefined)
    return outcome === undefined || isByHand ? [] : [`${id} was never sent`];
  const effects = effectsOf(provider, tenant, downstreamKey);
  if (outcome !== undefined)
    return effects > 0 || isByHand || misled.has(id)
      ? []
      : [`${id} is ${status}, and had no effect`];
  const isKnown = effects === 0 || isExcused(downstreamKey) || isAccountedFor(action);
  return isKnown ? [] : [`${id} is ${status}, and had its effect`];
}

/** However often it was sent, and though the store may have lost a time of it. */
function wasDoneTwice(run: Judged, action: Action): readonly string[] {
  const { id, guarantee, tenant } = action;
  const key = sentUnder(run, action);
  if (key === undefined || guarantee === 'natural' || run.isExcused(key)) return [];
  const effects = effectsOf(run.provider, tenant, key);
  return effects > 1 ? [`${id} has had ${effects} effects in the end`] : [];
}

/** Somebody's, replaced by a later value, or ended by a person who was told of the doubt. */
function isAccountedFor({ status, guarantee, ending, watch }: Action): boolean {
  if (status === 'unknown') return watch !== undefined;
  return (status === 'superseded' && guarantee === 'natural') || ending?.stands === true;
}
