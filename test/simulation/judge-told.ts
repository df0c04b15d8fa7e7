// What agents were told, held against the provider's own count: that it was so, that it was of their own
// arguments, and that no call was told two outcomes.
import { type Action } from '@action-ledger/domain';
import { type SandboxProvider } from '@action-ledger/sandbox';
import { type Told } from './agents.ts';
import { type Watch } from './watch.ts';

export interface Known {
  readonly provider: SandboxProvider;
  readonly watch: Pick<Watch, 'actions' | 'lost' | 'wentBackAt'>;
  /** A second effect of it is possible, or a late one. */
  readonly isExcused: (key: string) => boolean;
  /** Actions that had their effect beside the ledger. */
  readonly byHand: ReadonlySet<string>;
  /** Actions that had none, and of which nobody could know. */
  readonly misled: ReadonlySet<string>;
}

const done: ReadonlySet<string> = new Set(['done', 'already-done', 'done-earlier']);
const nothing: ReadonlySet<string> = new Set(['failed-without-effect', 'nothing-done']);

/** Told done: there is an effect. Told that nothing was done: there is none, and never will be. */
export function wasTrue(run: Known, told: Told): readonly string[] {
  const { word, actionId = '', code } = told.outcome;
  const isDone = done.has(word);
  // Of what could not be recorded just now, nothing is said but that.
  if (code?.startsWith('ledger.') === true || (!isDone && !nothing.has(word))) return [];
  const { lost, actions } = run.watch;
  const isLost = isOfLostTime(run, told);
  const action = (isLost ? lost : actions).get(actionId);
  const said = `${told.call.name} was told "${word}"`;
  if (action === undefined) return [`${said}, without a record`];
  // What had ended in a time that the store has lost may go on.
  if (!isDone) return isLost || isNone(run, action) ? [] : [`${said}, and it was done`];
  return whyNotDone(run, told, action).map((why) => `${said}${why}`);
}

function whyNotDone(run: Known, told: Told, action: Action): readonly string[] {
  if (!isMeant(run, told, action)) return [' of an action with other arguments'];
  return isOne(run, told, action) ? [] : [', and there was no effect'];
}

function isOfLostTime({ watch }: Known, { at, outcome }: Told): boolean {
  return at < watch.wentBackAt() && watch.lost.has(outcome.actionId ?? '');
}

/** A value that was replaced need not have been set before. */
function isOne(run: Known, { outcome }: Told, action: Action): boolean {
  const { byHand, misled, provider } = run;
  const { id, status, guarantee, tenant } = action;
  const effects = effectsOf(provider, tenant, sentUnder(run, action) ?? '');
  const isReplaced = guarantee === 'natural' && outcome.word === 'done-earlier';
  const isTaken = byHand.has(id) || misled.has(id);
  return effects > 0 || isTaken || status === 'superseded' || isReplaced;
}

/** Unless a person has said so, against a doubt that they were told of. */
function isNone({ isExcused, provider }: Known, action: Action): boolean {
  const { status, ending, attempts, tenant, downstreamKey = '' } = action;
  const effects = effectsOf(provider, tenant, downstreamKey);
  const isForced = ending?.stands === true && attempts.some(({ state }) => state === 'in doubt');
  return effects === 0 || isExcused(downstreamKey) || status === 'superseded' || isForced;
}

/** What was called for, or what people have put in its place, one edit after the other. */
function isMeant({ watch }: Known, told: Told, action: Action): boolean {
  const seen = new Set<Action>([action]);
  for (const each of seen) {
    if (isOfItsArguments(told, each)) return true;
    // Of a time that the store has lost, too.
    for (const before of [...watch.actions.values(), ...watch.lost.values()])
      if (before.supersededBy === each.id) seen.add(before);
  }
  return false;
}

/** All but what the tool says may differ; of a value that was replaced its caller is told of the one that stands. */
function isOfItsArguments({ call, outcome }: Told, { arguments: args }: Action): boolean {
  if (outcome.word === 'done-earlier') return true;
  const compared = Object.entries(call.arguments).filter(
    ([name]) => (call.tool !== 'mail' && call.tool !== 'letter') || name !== 'body',
  );
  return compared.every(([name, value]) => args[name] === value);
}

/** One call of an agent never gets two outcomes. */
export function answersAgree(run: Known, all: readonly Told[]): readonly string[] {
  const outcomes = new Map<string, string>();
  return all.flatMap((told) => {
    const { call, outcome } = told;
    const { word, actionId = '' } = outcome;
    // Of a value that was replaced, the one that stands is another later on.
    if (!done.has(word) || word === 'done-earlier' || isOfLostTime(run, told)) return [];
    const before = outcomes.get(call.name) ?? actionId;
    outcomes.set(call.name, actionId);
    // What a person has asked for once more is met by whoever asks later.
    const isRepeat = run.watch.actions.get(actionId)?.repeatOf !== undefined;
    return before === actionId || isRepeat
      ? []
      : [`${call.name} was told of ${before} and of ${actionId}`];
  });
}

/** Its downstream key; of what was sent in a time that the store has lost, the one of then. */
export function sentUnder({ watch }: Pick<Known, 'watch'>, action: Action): string | undefined {
  return action.downstreamKey ?? watch.lost.get(action.id)?.downstreamKey;
}

export function effectsOf(provider: SandboxProvider, tenant: string, key: string): number {
  return provider.tallyOf(tenant, key)?.effects ?? 0;
}
