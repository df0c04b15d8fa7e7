// The people of a run: from time to time one of them votes on what waits, settles what is left to them by
// what the provider's own page says, resumes what was paused and closes incidents.
import { type Ledger } from '@action-ledger/client';
import { type SandboxProvider } from '@action-ledger/sandbox';
import { type VirtualRuntime } from '@action-ledger/testkit/virtual-runtime';
import { type Chaos } from './chaos.ts';
import { type Dice } from './dice.ts';
import { tenants } from './plan.ts';

export interface People {
  /** One round; they come by themselves until the run ends. */
  readonly round: (isLast: boolean) => Promise<void>;
}

export interface PeopleDeps {
  readonly time: VirtualRuntime;
  readonly dice: Dice;
  readonly chaos: Chaos;
  readonly provider: SandboxProvider;
  readonly front: (nth: number) => Ledger | undefined;
  readonly trace: (line: string) => void;
}

const many = 1_000;
/** Tools whose proposals are not valid for long, and others. */
const pausable = ['mail', 'label', 'ticket', 'pay'] as const;
/** Of what the reconciler has left to people. */
export const whoSettles = 'olga';

export function createPeople(deps: PeopleDeps): People {
  const { dice, chaos, front, trace } = deps;
  let rounds = 0;
  /** Rounds of the pauses that a person holds on to, by tool. */
  const held = new Map<string, number>();
  return {
    round: async (isLast) => {
      rounds += 1;
      const there = front(rounds);
      if (there === undefined) return;
      const work: (() => Promise<unknown>)[] = [
        ...there.list({ status: 'awaiting_approval', limit: many }).map(
          ({ action }) =>
            () =>
              dice.of('edits', action, rounds) < 0.08
                ? edit(there, action)
                : vote(there, dice, action),
        ),
        ...tenants
          .flatMap((tenant) => there.unknowns({ tenant, owner: 'operator', limit: many }))
          .filter(({ action }) => isLast || dice.of('settles', action, rounds) < 0.4)
          .map(
            ({ action }) =>
              () =>
                settle(there, deps, action),
          ),
        ...there
          .list({ limit: many })
          .flatMap(({ action, incidents }) =>
            incidents > 0 ? [() => closeIncidents(there, action)] : [],
          ),
        ...there
          .pauses()
          .filter(({ tool = '' }) => (held.get(tool) ?? 0) <= rounds)
          .map((pause) => () => resume(there, pause)),
        ...there.workflows
          .list({ status: 'compensation_failed' })
          .filter(({ workflow }) => dice.of('undoes again', workflow, rounds) < 0.5)
          .map(
            ({ workflow, tenant }) =>
              () =>
                dice.of('calls off', workflow, rounds) < 0.5
                  ? callOff(there, workflow, tenant)
                  : undoAgain(there, workflow, tenant),
          ),
      ];
      const paused = dice.pick(pausable, 'paused', rounds);
      if (chaos.strikes('people: pause a tool', 0.12, paused, rounds)) {
        held.set(paused, rounds + dice.between(1, 3, 'held', rounds));
        work.push(() => there.pause({ tool: paused, by: 'olga', reason: 'wait a little' }));
      }
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
  const loaded = await ledger.load(actionId);
  if (loaded.kind === 'broken') return;
  const mind = dice.of('mind', actionId, loaded.action.attempts.length);
  if (mind < 0.1) return;
  const { argumentsHash } = loaded.action;
  const cast = (voter: string) =>
    ledger.vote({ actionId, voter, vote: mind < 0.25 ? 'reject' : 'approve', argumentsHash });
  const voters = mind < 0.6 ? ['ann'] : mind < 0.8 ? ['ann', 'ann'] : ['ann', 'ben'];
  await Promise.all(voters.map(cast));
}

async function edit(ledger: Ledger, actionId: string): Promise<void> {
  const loaded = await ledger.load(actionId);
  if (loaded.kind === 'broken') return;
  const { revision: revisionSeen, arguments: args } = loaded.action;
  const fewer = typeof args['cents'] === 'number' ? { cents: args['cents'] - 1 } : { seat: 's-5' };
  await ledger.edit({
    actionId,
    by: 'ann',
    reason: 'a little less',
    revisionSeen,
    arguments: { ...args, ...fewer },
    waitMs: 0,
  });
}

/** Beside its workflow, by a call of the tool that undoes it. */
async function callOff(ledger: Ledger, id: string, tenant: string): Promise<void> {
  const shown = await ledger.workflows.show(id, { tenant });
  if ('kind' in shown) return;
  for (const { step, tool, settled } of shown.steps) {
    const loaded = await ledger.load(settled?.action ?? '');
    if (loaded.kind === 'broken' || loaded.action.status !== 'compensation_failed') continue;
    const { reservation_id: reservation } = loaded.action.outcome?.result as {
      readonly reservation_id: string;
    };
    await ledger.propose({
      tool: tool.replace('book_', 'cancel_'),
      tenant,
      arguments: { reservation },
      origin: { run: `calling off ${id}`, turn: '1', call: step },
      by: 'rita',
      waitMs: 0,
    });
  }
}

async function undoAgain(ledger: Ledger, id: string, tenant: string): Promise<void> {
  const shown = await ledger.workflows.show(id, { tenant });
  if ('kind' in shown) return;
  const revisionSeen = shown.revision;
  await ledger.workflows.compensate(id, { tenant, by: 'rita', reason: 'once more', revisionSeen });
}

async function settle(ledger: Ledger, deps: PeopleDeps, actionId: string): Promise<void> {
  const loaded = await ledger.load(actionId);
  if (loaded.kind === 'broken' || loaded.action.status !== 'unknown') return;
  const { tenant, downstreamKey = '', revision } = loaded.action;
  const [effect] = deps.provider.ofKey(tenant, downstreamKey);
  const seen = { actionId, by: whoSettles, reason: 'looked it up', revisionSeen: revision };
  const forced =
    effect === undefined && deps.chaos.strikes('people: force an end', 0.25, actionId, revision);
  await ledger.settle(
    effect === undefined
      ? { ...seen, verdict: 'absent', forced }
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
