// The people of the day. They know only what the pager tells them: they vote, sooner or later or never,
// resume what was paused, close incidents, and settle in the evening what is left with them.
import { type Ledger } from '@action-ledger/client';
import { type Notification } from '@action-ledger/notifications';
import { draw, type SandboxProvider } from '@action-ledger/sandbox';
import { type VirtualRuntime } from '@action-ledger/testkit';
import { minute, second } from './times.ts';

export interface People {
  readonly hear: (notification: Notification) => void;
  readonly eveningRound: () => Promise<void>;
  /** Votes that were refused because they came too late or twice. */
  readonly refusedVotes: () => number;
}

export interface PeopleDeps {
  readonly time: VirtualRuntime;
  readonly seed: number;
  readonly provider: SandboxProvider;
  readonly ledger: () => Ledger | undefined;
}

const voters = ['ann', 'ben', 'cleo'] as const;

export function createPeople(deps: PeopleDeps): People {
  const { time, seed, ledger } = deps;
  const theirs = new Map<string, Notification>();
  let refused = 0;
  const later = (afterMs: number, what: (there: Ledger) => Promise<unknown>): void => {
    time.timers.after(afterMs, () => {
      const there = ledger();
      // Nobody answers: they come back.
      if (there === undefined) later(10 * minute, what);
      else what(there).catch(() => undefined);
    });
  };
  const vote = (notification: Notification, voter: string, yes: boolean, afterMs: number): void => {
    later(afterMs, async (there) => {
      const { action = '', detail } = notification;
      const voted = await there.vote({
        actionId: action,
        voter,
        vote: yes ? 'approve' : 'reject',
        argumentsHash: detail['argumentsHash'] as string,
      });
      if (voted.kind === 'refusal' || (voted.kind === 'done' && voted.refused !== undefined))
        refused += 1;
    });
  };
  const decide = (notification: Notification): void => {
    const mind = draw(seed, 'mind', notification.action ?? '');
    const haste = draw(seed, 'haste', notification.action ?? '');
    if (mind < 0.15) return;
    const isLate = mind < 0.2;
    const afterMs = isLate ? (125 + 30 * haste) * minute : (1 + 45 * haste) * minute;
    const yes = mind >= 0.35;
    const needed = Number(notification.detail['votes'] ?? 1);
    const voting = mind > 0.9 ? voters : voters.slice(0, needed);
    for (const [turn, voter] of voting.entries())
      vote(notification, voter, yes, Math.round(afterMs + turn * haste * 5 * minute));
    // A double click.
    if (mind > 0.95) vote(notification, voters[0], yes, Math.round(afterMs));
  };
  return {
    hear: (notification) => {
      switch (notification.kind) {
        case 'approval waiting':
          decide(notification);
          return;
        case 'paused':
          later(15 * minute, (there) => resume(there, notification));
          return;
        case 'incident':
          later(30 * minute, (there) => closeIncident(there, notification));
          return;
        case 'unknown escalated':
          theirs.set(notification.action ?? '', notification);
          return;
        case 'workflow needs a person':
        case 'rules loosened':
        case 'stream broken':
        case 'invariant broken':
      }
    },
    eveningRound: async () => {
      for (const actionId of theirs.keys()) {
        const there = ledger();
        if (there !== undefined && draw(seed, 'settles', actionId) < 0.85)
          await settle(there, deps.provider, actionId);
        await new Promise<void>((resolve) => void time.timers.after(20 * second, resolve));
      }
    },
    refusedVotes: () => refused,
  };
}

async function resume(ledger: Ledger, { tenant, tool, cause }: Notification): Promise<void> {
  await ledger.resume({
    ...(tenant === undefined ? {} : { tenant }),
    ...(tool === undefined ? {} : { tool }),
    by: 'olga',
    reason: 'the provider is back',
    revisionSeen: cause.revision,
  });
}

async function closeIncident(ledger: Ledger, { action, detail }: Notification): Promise<void> {
  const loaded = await ledger.load(action ?? '');
  if (loaded.kind === 'broken') return;
  await ledger.closeIncident({
    actionId: loaded.action.id,
    incident: detail['incident'] as string,
    by: 'olga',
    reason: 'seen',
    revisionSeen: loaded.action.revision,
  });
}

/** They look at the provider's own page. */
async function settle(ledger: Ledger, provider: SandboxProvider, actionId: string): Promise<void> {
  const loaded = await ledger.load(actionId);
  if (loaded.kind === 'broken' || loaded.action.status !== 'unknown') return;
  const { tenant, downstreamKey = '', revision } = loaded.action;
  const [effect] = provider.ofKey(tenant, downstreamKey);
  const seen = { actionId, by: 'olga', reason: 'looked it up', revisionSeen: revision };
  await ledger.settle(
    effect === undefined
      ? { ...seen, verdict: 'absent' }
      : { ...seen, verdict: 'found', externalId: effect.id, result: effect.result },
  );
}
