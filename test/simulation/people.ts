// The people of a run: from time to time one of them votes on what waits, settles what is left to them by
// what the provider's own page says, resumes what was paused and closes incidents.
import { type Ledger } from '@action-ledger/client';
import { type SandboxProvider } from '@action-ledger/sandbox';
import { type VirtualRuntime } from '@action-ledger/testkit/virtual-runtime';
import { type Dice } from './dice.ts';
import { tenants } from './plan.ts';

export interface People {
  /** One round; they come by themselves until the run ends. */
  readonly round: (isLast: boolean) => Promise<void>;
}

export interface PeopleDeps {
  readonly time: VirtualRuntime;
  readonly dice: Dice;
  readonly provider: SandboxProvider;
  readonly front: (nth: number) => Ledger | undefined;
  readonly trace: (line: string) => void;
}

const many = 1_000;
/** Of what the reconciler has left to people. */
export const whoSettles = 'olga';

export function createPeople(deps: PeopleDeps): People {
  const { dice, front, trace } = deps;
  let rounds = 0;
  return {
    round: async (isLast) => {
      rounds += 1;
      const there = front(rounds);
      if (there === undefined) return;
      const work = [
        ...there.list({ status: 'awaiting_approval', limit: many }).map(
          ({ action }) =>
            () =>
              vote(there, dice, action),
        ),
        ...tenants
          .flatMap((tenant) => there.unknowns({ tenant, owner: 'operator', limit: many }))
          .filter(({ action }) => isLast || dice.of('settles', action, rounds) < 0.4)
          .map(
            ({ action }) =>
              () =>
                settle(there, deps.provider, action),
          ),
        ...there
          .list({ limit: many })
          .flatMap(({ action, incidents }) =>
            incidents > 0 ? [() => closeIncidents(there, action)] : [],
          ),
        ...there.pauses().map((pause) => () => resume(there, pause)),
      ];
      trace(`people: round ${rounds}, ${work.length} things to do`);
      for (const each of work) await Promise.race([each().catch(() => undefined), patience(deps)]);
    },
  };
}

function patience({ time }: PeopleDeps): Promise<void> {
  return new Promise((resolve) => void time.timers.after(30_000, resolve));
}

/** A vote, a second one by somebody else, the same one clicked twice, or none. */
async function vote(ledger: Ledger, dice: Dice, actionId: string): Promise<void> {
  const mind = dice.of('mind', actionId);
  if (mind < 0.1) return;
  const loaded = await ledger.load(actionId);
  if (loaded.kind === 'broken') return;
  const { argumentsHash } = loaded.action;
  const cast = (voter: string) =>
    ledger.vote({ actionId, voter, vote: mind < 0.25 ? 'reject' : 'approve', argumentsHash });
  const voters = mind < 0.6 ? ['ann'] : mind < 0.8 ? ['ann', 'ann'] : ['ann', 'ben'];
  await Promise.all(voters.map(cast));
}

async function settle(ledger: Ledger, provider: SandboxProvider, actionId: string): Promise<void> {
  const loaded = await ledger.load(actionId);
  if (loaded.kind === 'broken' || loaded.action.status !== 'unknown') return;
  const { tenant, downstreamKey = '', revision } = loaded.action;
  const [effect] = provider.ofKey(tenant, downstreamKey);
  const seen = { actionId, by: whoSettles, reason: 'looked it up', revisionSeen: revision };
  await ledger.settle(
    effect === undefined
      ? { ...seen, verdict: 'absent' }
      : { ...seen, verdict: 'found', externalId: effect.id, result: effect.result },
  );
}

async function closeIncidents(ledger: Ledger, actionId: string): Promise<void> {
  const loaded = await ledger.load(actionId);
  if (loaded.kind === 'broken') return;
  const [incident] = loaded.action.incidents;
  if (incident === undefined) return;
  await ledger.closeIncident({
    actionId,
    incident: incident.incident,
    by: 'olga',
    reason: 'seen',
    revisionSeen: loaded.action.revision,
  });
}

async function resume(
  ledger: Ledger,
  { tenant, tool, revision }: ReturnType<Ledger['pauses']>[number],
): Promise<void> {
  await ledger.resume({
    ...(tenant === undefined ? {} : { tenant }),
    ...(tool === undefined ? {} : { tool }),
    by: 'olga',
    reason: 'looked at it',
    revisionSeen: revision,
  });
}
