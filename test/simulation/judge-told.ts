// What agents were told, held against the provider's own count: that it was so, that it was of their own
// arguments, and that no call was told two outcomes.
import { type Action } from '@action-ledger/domain';
import { type SandboxProvider } from '@action-ledger/sandbox';
import { type Told } from './agents.ts';
import { type Watch } from './watch.ts';

export interface Known {
  readonly provider: SandboxProvider;
  readonly watch: Pick<Watch, 'actions'>;
  /** A second effect of it is possible, or a late one. */
  readonly isExcused: (key: string) => boolean;
  /** Actions that had their effect beside the ledger. */
  readonly byHand: ReadonlySet<string>;
}

const done: ReadonlySet<string> = new Set(['done', 'already-done', 'done-earlier']);
const nothing: ReadonlySet<string> = new Set(['failed-without-effect', 'nothing-done']);

/** Told done: there is an effect. Told that nothing was done: there is none, and never will be. */
export function wasTrue(run: Known, told: Told): readonly string[] {
  const { word, actionId, code } = told.outcome;
  const isDone = done.has(word);
  // Of what could not be recorded just now, nothing is said but that.
  if (code?.startsWith('ledger.') === true || (!isDone && !nothing.has(word))) return [];
  const action = run.watch.actions.get(actionId ?? '');
  const said = `${told.call.name} was told "${word}"`;
  if (action === undefined) return [`${said}, without a record`];
  if (isDone && !isMeant(run, told, action)) return [`${said} of an action with other arguments`];
  const effects = effectsOf(run.provider, action.tenant, action.downstreamKey ?? '');
  if (isDone ? isOne(run, told, action, effects) : isNone(run, action, effects)) return [];
  return [`${said}, with ${effects} effects`];
}

/** A value that was replaced need not have been set before. */
function isOne({ byHand }: Known, { outcome }: Told, action: Action, effects: number): boolean {
  const { id, status, guarantee } = action;
  const isReplaced = guarantee === 'natural' && outcome.word === 'done-earlier';
  return effects > 0 || byHand.has(id) || status === 'superseded' || isReplaced;
}

/** Unless a person has said so, against a doubt that they were told of. */
function isNone({ isExcused }: Known, action: Action, effects: number): boolean {
  const { status, ending, attempts, downstreamKey = '' } = action;
  const isForced = ending?.stands === true && attempts.some(({ state }) => state === 'in doubt');
  return effects === 0 || isExcused(downstreamKey) || status === 'superseded' || isForced;
}

/** What was called for, or what a person has put in its place. */
function isMeant({ watch }: Known, told: Told, action: Action): boolean {
  if (isOfItsArguments(told, action)) return true;
  return [...watch.actions.values()].some(
    (action) => action.supersededBy === told.outcome.actionId && isOfItsArguments(told, action),
  );
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
export function answersAgree(all: readonly Told[]): readonly string[] {
  const outcomes = new Map<string, string>();
  return all.flatMap(({ call, outcome: { word, actionId = '' } }) => {
    if (!done.has(word)) return [];
    const before = outcomes.get(call.name) ?? actionId;
    outcomes.set(call.name, actionId);
    return before === actionId ? [] : [`${call.name} was told of ${before} and of ${actionId}`];
  });
}

export function effectsOf(provider: SandboxProvider, tenant: string, key: string): number {
  return provider.tallyOf(tenant, key)?.effects ?? 0;
}
