// What must hold at the end of a run, judged from the provider's own count and the stored events alone.
import { verifyLedger } from '@action-ledger/application';
import { type Action, checkLedger } from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';
import { type SandboxProvider } from '@action-ledger/sandbox';
import { type Agents, type Told } from './agents.ts';
import { sha256 } from './processes.ts';
import { type Watch } from './watch.ts';

export interface Judged {
  readonly store: EventStore;
  readonly provider: SandboxProvider;
  readonly watch: Watch;
  readonly agents: Agents;
  readonly isExcused: (key: string) => boolean;
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
const done: ReadonlySet<string> = new Set(['done', 'already-done', 'done-earlier']);
const nothing: ReadonlySet<string> = new Set(['failed-without-effect', 'nothing-done']);

export async function judge(run: Judged): Promise<readonly string[]> {
  const { store, provider, watch, isExcused } = run;
  const { brokenInvariants } = await verifyLedger(store, { sha256 });
  const actions = [...watch.actions.values()];
  const tallies = provider.tally().filter(({ key }) => !isExcused(key));
  const now = Math.max(run.now, ...actions.map(({ updatedAt }) => updatedAt));
  return [
    ...watch.breaches,
    ...brokenInvariants.map(
      ({ stream, invariant, detail }) => `${stream}: ${invariant}: ${detail}`,
    ),
    ...checkLedger(actions, { now, provider: tallies }).map(
      ({ stream, invariant, detail }) => `${stream}: ${invariant}: ${detail}`,
    ),
    ...actions.flatMap((action) => [...restsOwned(action), ...isAsItWas(run, action)]),
    ...run.agents.told.flatMap((told) => wasTrue(run, told)),
    ...answersAgree(run.agents.told),
    ...(run.agents.open() > 0 ? [`${run.agents.open()} calls came to no end`] : []),
  ];
}

/** When nothing goes wrong any more, every action comes to an end or rests with somebody. */
function restsOwned(action: Action): readonly string[] {
  const { id, status, watch } = action;
  if (status === 'unknown' || status === 'compensation_failed')
    return watch === undefined ? [`${id} is ${status} and nobody's`] : [];
  return moving.has(status) ? [`${id} is ${status}, and does not get on`] : [];
}

/** A success had its effect; an effect is a success on record, or somebody's. */
function isAsItWas({ provider, isExcused }: Judged, action: Action): readonly string[] {
  const { id, status, outcome, downstreamKey, tenant } = action;
  if (downstreamKey === undefined) return outcome === undefined ? [] : [`${id} was never sent`];
  const effects = effectsOf(provider, tenant, downstreamKey);
  if (outcome !== undefined) return effects > 0 ? [] : [`${id} is ${status}, and had no effect`];
  const isKnown = effects === 0 || isExcused(downstreamKey) || isAccountedFor(action);
  return isKnown ? [] : [`${id} is ${status}, and had its effect`];
}

/** Somebody's, replaced by a later value, or ended by a person who was told of the doubt. */
function isAccountedFor({ status, guarantee, ending, watch }: Action): boolean {
  if (status === 'unknown') return watch !== undefined;
  return (status === 'superseded' && guarantee === 'natural') || ending?.stands === true;
}

function effectsOf(provider: SandboxProvider, tenant: string, key: string): number {
  return provider.tallyOf(tenant, key)?.effects ?? 0;
}

/** Told done: there is an effect. Told that nothing was done: there is none, and never will be. */
function wasTrue({ provider, watch, isExcused }: Judged, told: Told): readonly string[] {
  const { word, actionId } = told.outcome;
  const [isDone, isNothing] = [done.has(word), nothing.has(word)];
  if (!isDone && !isNothing) return [];
  const action = watch.actions.get(actionId ?? '');
  if (action === undefined) return [`${told.call.name} was told "${word}", without a record`];
  if (isDone && !isOfItsArguments(told, action))
    return [`${told.call.name} was told "${word}" of an action with other arguments`];
  const key = action.downstreamKey ?? '';
  const effects = effectsOf(provider, action.tenant, key);
  const isTrue = isDone ? effects > 0 : effects === 0 || isExcused(key);
  return isTrue || isReplaced(told, action)
    ? []
    : [`${told.call.name} was told "${word}", with ${effects} effects`];
}

/** A value that was replaced need not have been set before. */
function isReplaced({ outcome }: Told, { status, guarantee }: Action): boolean {
  return status === 'superseded' || (guarantee === 'natural' && outcome.word === 'done-earlier');
}

/** All but what the tool says may differ; of a value that was replaced its caller is told of the one that stands. */
function isOfItsArguments({ call, outcome }: Told, { arguments: args }: Action): boolean {
  if (outcome.word === 'done-earlier') return true;
  const compared = Object.entries(call.arguments).filter(
    ([name]) => call.tool !== 'mail' || name !== 'body',
  );
  return compared.every(([name, value]) => args[name] === value);
}

/** One call of an agent never gets two outcomes. */
function answersAgree(all: readonly Told[]): readonly string[] {
  const outcomes = new Map<string, string>();
  return all.flatMap(({ call, outcome: { word, actionId = '' } }) => {
    if (!done.has(word)) return [];
    const before = outcomes.get(call.name) ?? actionId;
    outcomes.set(call.name, actionId);
    return before === actionId ? [] : [`${call.name} was told of ${before} and of ${actionId}`];
  });
}
