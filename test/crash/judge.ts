// What is on record is held against what was really done at the provider, and what callers were told.
import { hash } from 'node:crypto';
import { verifyLedger } from '@action-ledger/application';
import { foldAction } from '@action-ledger/codec';
import { type Action, actionOfStream, checkLedger, isOpen } from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';
import { type SandboxProvider } from '@action-ledger/sandbox';
import { type Told } from './messages.ts';

export const sha256 = (text: string): string => hash('sha256', text, 'base64url');

export interface Judgement {
  readonly actions: number;
  readonly effects: number;
  /** Each is empty where all is well. */
  readonly broken: readonly string[];
  readonly doubled: readonly string[];
  readonly lost: readonly string[];
  readonly ownerless: readonly string[];
  /** Callers who were told something else than what is on record. */
  readonly misled: readonly string[];
}

export async function judge(
  store: EventStore,
  provider: SandboxProvider,
  told: ReadonlyMap<number, Told | undefined>,
): Promise<Judgement> {
  const { brokenInvariants } = await verifyLedger(store, { sha256 });
  const actions = await allActions(store);
  const byId = new Map(actions.map((action) => [action.id, action]));
  const now = Math.max(...actions.map(({ updatedAt }) => updatedAt), 0);
  const tallies = provider.tally();
  const across = checkLedger(actions, { now, provider: tallies });
  return {
    actions: actions.length,
    effects: tallies.reduce((sum, { effects }) => sum + effects, 0),
    broken: [...brokenInvariants, ...across].map((each) => JSON.stringify(each)),
    doubled: tallies.filter(({ effects }) => effects > 1).map(({ key }) => key),
    lost: actions.flatMap((action) => lost(action, provider)),
    ownerless: actions.filter(isOwnerless).map(({ id }) => id),
    misled: [...told].flatMap(([number, each]) => misled(number, each, byId)),
  };
}

async function allActions(store: EventStore): Promise<readonly Action[]> {
  const ids = new Set<string>();
  for (let after = 0; ;) {
    const batch = await store.readAll({ after, max: 5_000 });
    if (batch.length === 0) break;
    for (const { stream, position } of batch) {
      after = position;
      const id = actionOfStream(stream);
      if (id !== undefined) ids.add(id);
    }
  }
  return Promise.all([...ids].map((id) => fold(store, `action-${id}`)));
}

async function fold(store: EventStore, stream: string): Promise<Action> {
  const folded = foldAction(sha256, stream, await store.readStream(stream));
  if (folded.kind === 'broken') throw new Error(`${stream}: ${folded.reason}`);
  return folded.action;
}

/** A success without effect, or an effect that is neither on record nor looked after. */
function lost(action: Action, provider: SandboxProvider): readonly string[] {
  const { id, status, outcome, downstreamKey = '', tenant } = action;
  const effects = provider.tallyOf(tenant, downstreamKey)?.effects ?? 0;
  if (outcome !== undefined) return effects === 0 ? [`${id}: ${status} without effect`] : [];
  if (effects === 0) return [];
  return status === 'unknown' && action.watch !== undefined ? [] : [`${id}: ${status}, but done`];
}

/** At the end nothing may be open but what a person looks after. */
function isOwnerless(action: Action): boolean {
  if (action.status === 'unknown') return action.watch?.owner !== 'operator';
  return isOpen(action);
}

function misled(
  number: number,
  told: Told | undefined,
  actions: ReadonlyMap<string, Action>,
): readonly string[] {
  if (told === undefined) return [`job ${number}: its caller was told nothing`];
  const action = actions.get(told.actionId ?? '');
  if (action === undefined) return [`job ${number}: told ${told.word}, but nothing is on record`];
  if (told.state !== 'succeeded' && told.state !== 'failed') {
    return action.status === 'unknown' ? [] : [`job ${number}: told ${told.state} at the end`];
  }
  const same =
    told.state === 'succeeded'
      ? action.outcome?.externalId === told.externalId
      : action.status === 'failed';
  return same ? [] : [`job ${number}: told ${told.state}, on record it is ${action.status}`];
}
