// What is on record at the end, read from the stored texts alone: nothing here folds or decides as the
// ledger does, so that the checks do not repeat its mistakes.
import { type RecordedEvent } from '@action-ledger/event-store';

export interface Fact {
  readonly type: string;
  /** Ms since the midnight of the day. */
  readonly at: number;
  readonly revision: number;
  readonly eventId: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Story {
  readonly stream: string;
  readonly facts: readonly Fact[];
}

export interface DayRecord {
  readonly events: readonly RecordedEvent[];
  readonly actions: ReadonlyMap<string, ActionStory>;
  readonly others: readonly Story[];
}

export interface ActionStory extends Story {
  readonly id: string;
  readonly tenant: string;
  readonly tool: string;
  readonly guarantee: string;
  readonly validUntil: number;
  /** What the provider sees; undefined where nothing was dispatched. */
  readonly key: string | undefined;
}

export function recordOf(events: readonly RecordedEvent[], midnight: number): DayRecord {
  const streams = new Map<string, Fact[]>();
  for (const { stream, type, id, revision, data, metadata } of events) {
    const { at } = JSON.parse(metadata) as { readonly at: number };
    const fact = {
      type,
      at: at - midnight,
      revision,
      eventId: id,
      data: JSON.parse(data) as Fact['data'],
    };
    const facts = streams.get(stream);
    if (facts === undefined) streams.set(stream, [fact]);
    else facts.push(fact);
  }
  const actions = new Map<string, ActionStory>();
  const others: Story[] = [];
  for (const [stream, facts] of streams) {
    const story = actionStory(stream, facts, midnight);
    if (story === undefined) others.push({ stream, facts });
    else actions.set(story.id, story);
  }
  return { events, actions, others };
}

function actionStory(
  stream: string,
  facts: readonly Fact[],
  midnight: number,
): ActionStory | undefined {
  const [planned] = facts;
  if (planned?.type !== 'ActionPlanned') return undefined;
  const { tenant, tool, guarantee, validUntil } = planned.data as {
    readonly tenant: string;
    readonly tool: string;
    readonly guarantee: string;
    readonly validUntil: number;
  };
  const id = stream.slice('action-'.length);
  const dispatched = facts.find(({ type }) => type === 'ActionDispatched');
  const key = dispatched?.data['downstreamKey'] as string | undefined;
  return { stream, facts, id, tenant, tool, guarantee, validUntil: validUntil - midnight, key };
}

export function timesOf({ facts }: Story, type: string): readonly number[] {
  return facts.filter((fact) => fact.type === type).map(({ at }) => at);
}

/** It succeeded, by an attempt, a lookup, a person or a report. */
export function hasSucceeded({ facts }: Story): boolean {
  return facts.some(
    ({ type, data }) =>
      type === 'ActionSucceeded' || (type === 'ActionReconciled' && data['verdict'] === 'found'),
  );
}

export interface Standing {
  /** `unknown`: somebody must look after it, a failed compensation included. */
  readonly is: 'unknown' | 'open' | 'ended' | 'succeeded';
  /** Of what is unknown, as far as it is known. */
  readonly owner?: string;
  /** Ms since midnight. */
  readonly nextCheckAt?: number;
}

const moves: Readonly<Record<string, Standing['is']>> = {
  ActionClaimed: 'open',
  ActionDispatched: 'open',
  RetryPlanned: 'open',
  ActionSucceeded: 'succeeded',
  ActionOutcomeUnknown: 'unknown',
  AttemptRefused: 'unknown',
  CompensationFailed: 'unknown',
  ActionFailed: 'ended',
  ActionDenied: 'ended',
  ActionRejected: 'ended',
  ActionExpired: 'ended',
  ActionCancelled: 'ended',
  ActionSuperseded: 'ended',
  ActionCompensated: 'ended',
};

/** These say who looks after the action itself, and not after an incident of it. */
const handsOver: ReadonlySet<string> = new Set([
  'ActionOutcomeUnknown',
  'AttemptRefused',
  'AttemptNotSent',
  'ClaimEnded',
  'CompensationFailed',
  'ReconciliationChecked',
  'OwnerAssigned',
]);

/** Where an action stands after one more fact. */
export function nextStanding(before: Standing, fact: Fact, midnight: number): Standing {
  const { type, data } = fact;
  const { owner, nextCheckAt, verdict } = data as {
    readonly owner?: string;
    readonly nextCheckAt?: number;
    readonly verdict?: string;
  };
  if (type === 'ActionReconciled') return { is: verdict === 'found' ? 'succeeded' : 'open' };
  if (handsOver.has(type) && owner !== undefined && nextCheckAt !== undefined)
    return { is: 'unknown', owner, nextCheckAt: nextCheckAt - midnight };
  const moved = moves[type];
  return moved === undefined ? before : { is: moved };
}

export function standingOf(facts: readonly Fact[], midnight: number): Standing {
  return facts.reduce<Standing>((before, fact) => nextStanding(before, fact, midnight), {
    is: 'open',
  });
}
