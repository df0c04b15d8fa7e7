// The agents of a run. They make the calls that were planned over lines that lose requests and answers,
// deliver them again while they know no outcome, and write down what they are told.
import { fromOutcome, type Ledger, type LedgerTool, type Outcome } from '@action-ledger/client';
import { type VirtualRuntime } from '@action-ledger/testkit/virtual-runtime';
import { type Chaos } from './chaos.ts';
import { type Dice } from './dice.ts';
import { type Planned, type PlannedCall, type PlannedTrip } from './plan.ts';
import { type RemoteProposing } from './programs/programs.ts';
import { isOfPrograms } from './programs/tools.ts';
import { tripParts } from './tools.ts';

export interface Told {
  readonly at: number;
  readonly call: PlannedCall;
  readonly outcome: Outcome;
}

export interface Agents {
  readonly told: readonly Told[];
  /** Planned, and no outcome is known yet. */
  readonly open: () => number;
  /** Each call that has its outcome is made once more. */
  readonly askAgain: () => void;
}

export interface AgentsDeps {
  readonly time: VirtualRuntime;
  readonly dice: Dice;
  readonly chaos: Chaos;
  /** A process that takes calls now, if there is one. */
  readonly front: (nth: number) => Ledger | undefined;
  /** A program of the tenant that carries actions out itself, if one runs. */
  readonly program: (tenant: string, nth: number) => RemoteProposing | undefined;
  readonly trace: (line: string) => void;
  readonly planned: readonly Planned[];
}

const asksMax = 12;
const patienceMs = 90_000;

export function createAgents(deps: AgentsDeps): Agents {
  const { time, dice, chaos, front, trace } = deps;
  const told: Told[] = [];
  const open = new Set<Planned>();
  /** Calls whose reservations are given back. */
  const given = new Set<string>();

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => void time.timers.after(ms, resolve));

  /** One delivery; undefined where no answer came. */
  const deliver = <Result>(
    place: string,
    work: (there: Ledger) => Promise<Result>,
  ): Promise<Result | undefined> => deliverTo(front, place, work);
  const deliverTo = async <There, Result>(
    who: (nth: number) => There | undefined,
    place: string,
    work: (there: There) => Promise<Result>,
  ): Promise<Result | undefined> => {
    await pause(dice.between(0, 30, 'way', place));
    const there = who(dice.between(0, 7, 'front', place));
    if (there === undefined || chaos.strikes('caller: request lost', 0.02, place)) return undefined;
    const answer = await Promise.race([
      work(there).catch(() => undefined),
      pause(patienceMs).then(() => undefined),
    ]);
    return chaos.strikes('caller: answer lost', 0.03, place) ? undefined : answer;
  };

  const pursue = async (planned: Planned): Promise<void> => {
    for (let asked = 0; asked < asksMax; asked += 1) {
      const place = `${planned.name} ${asked}`;
      if (chaos.strikes('caller: delivered twice', 0.08, place))
        void once(planned, `${place} copy`, asked);
      if (await once(planned, place, asked)) break;
      await pause(dice.between(1_000, 20_000 * 2 ** Math.min(3, asked), 'again', place));
    }
    open.delete(planned);
  };
  const once = async (planned: Planned, place: string, asked: number): Promise<boolean> => {
    if (planned.kind === 'trip') {
      const end = await deliver(place, (there) => travel(there, planned));
      trace(`${planned.name} is ${end?.status ?? 'without an answer'}`);
      return end !== undefined && end.status !== 'running' && end.status !== 'refused';
    }
    const outcome = await proposed(planned, place);
    trace(`${planned.name} was told ${outcome?.word ?? 'nothing'} ${outcome?.actionId ?? ''}`);
    return outcome !== undefined && hear(planned, outcome, asked);
  };
  /** By whoever carries it out, or by somebody who leaves that to others. */
  const proposed = (planned: PlannedCall, place: string): Promise<Outcome | undefined> => {
    const { tenant, tool } = planned;
    return isOfPrograms(tool) && dice.of('through a program', place) < 0.7
      ? deliverTo(
          (nth) => deps.program(tenant, nth),
          place,
          (there) => there.propose(proposalOf(planned)),
        )
      : deliver(place, (there) =>
          there.propose({ ...proposalOf(planned), tenant, by: `agent of ${tenant}` }),
        );
  };
  const hear = (planned: PlannedCall, outcome: Outcome, asked: number): boolean => {
    told.push({ at: time.clock.monoMs(), call: planned, outcome });
    if (asked === 0) changeMind(planned, outcome);
    const isEnd = !isNoOutcome(outcome);
    if (isEnd) giveBack(planned, outcome);
    return isEnd;
  };
  const changeMind = (planned: PlannedCall, outcome: Outcome): void => {
    const { cancelAfterMs, repeatAfterMs } = planned;
    if (cancelAfterMs !== undefined)
      void pause(cancelAfterMs).then(() =>
        deliver(`${planned.name} cancel`, (there) => cancel(there, outcome)),
      );
    if (repeatAfterMs !== undefined)
      void pause(repeatAfterMs).then(() =>
        deliver(`${planned.name} repeat`, (there) => repeat(there, outcome)),
      );
  };

  const giveBack = (planned: PlannedCall, { result }: Outcome): void => {
    const { releaseAfterMs, name, tenant, origin } = planned;
    const reservation = (result as { readonly reservation_id?: string } | null | undefined)
      ?.reservation_id;
    if (releaseAfterMs === undefined || reservation === undefined || given.has(name)) return;
    given.add(name);
    const { releaseAfterMs: _once, cancelAfterMs: _no, repeatAfterMs: _nor, ...same } = planned;
    const call = { kind: 'call', tenant, at: 0 } as const;
    const later = (
      more: Pick<PlannedCall, 'name' | 'tool' | 'arguments'>,
      afterMs: number,
    ): void => {
      const { name: called } = more;
      const next = { ...call, ...more, origin: { ...origin, turn: called, call: called } };
      open.add(next);
      time.timers.after(afterMs, () => void pursue(next));
    };
    later({ name: `${name}-release`, tool: 'release', arguments: { reservation } }, releaseAfterMs);
    const { tool, arguments: args } = same;
    const afterMs = releaseAfterMs + dice.between(-2_000, 20_000, 'wanted again', name);
    later({ name: `${name}-anew`, tool, arguments: args }, Math.max(0, afterMs));
  };

  for (const planned of deps.planned) {
    open.add(planned);
    time.timers.after(planned.at, () => void pursue(planned));
    if (planned.kind === 'trip' && planned.compensateAfterMs !== undefined)
      time.timers.after(
        planned.at + planned.compensateAfterMs,
        () => void deliver(`${planned.name} back`, (there) => compensate(there, planned)),
      );
  }
  return {
    told,
    open: () => open.size,
    askAgain: () => {
      const calls = new Map(told.map(({ call }) => [call.name, call]));
      for (const call of calls.values()) {
        open.add(call);
        void pursue(call);
      }
    },
  };
}

function isNoOutcome({ word, code }: Outcome): boolean {
  return (
    word === 'in-progress' ||
    word === 'checking' ||
    word === 'waiting-for-approval' ||
    // Nothing was recorded just now: of the action it says nothing.
    code?.startsWith('ledger.') === true ||
    // No program that has the tool has said so yet.
    code === 'tool.unknown'
  );
}

function proposalOf({ tool, arguments: args, origin, key }: PlannedCall) {
  return { tool, arguments: args, origin, ...(key === undefined ? {} : { key }) };
}

async function cancel(ledger: Ledger, { actionId, revision }: Outcome): Promise<unknown> {
  if (actionId === undefined || revision === undefined) return undefined;
  const loaded = await ledger.load(actionId);
  if (loaded.kind === 'broken') return undefined;
  const revisionSeen = loaded.action.revision;
  return ledger.cancel({ actionId, revisionSeen, by: 'carol', reason: 'changed my mind' });
}

async function repeat(ledger: Ledger, { actionId, tenant }: Outcome): Promise<unknown> {
  if (actionId === undefined) return undefined;
  const loaded = await ledger.load(actionId);
  if (loaded.kind === 'broken') return undefined;
  const revisionSeen = loaded.action.revision;
  return ledger.repeat({ of: actionId, tenant, revisionSeen, by: 'rita', reason: 'once more' });
}

function travel(ledger: Ledger, { tenant, name, failsAt }: PlannedTrip) {
  return ledger.workflow({ tenant, id: name, run: name, waitMs: 60_000 }, async (step) => {
    for (const part of tripParts) {
      const trip = part === failsAt ? `${name} impossible` : name;
      const undo = toolOf(ledger, `cancel_${part}`);
      await step(
        `book ${part}`,
        toolOf(ledger, `book_${part}`),
        { trip },
        { compensate: { tool: undo, arguments: { reservation: fromOutcome('reservation_id') } } },
      );
    }
  });
}

async function compensate(ledger: Ledger, { tenant, name }: PlannedTrip): Promise<unknown> {
  const shown = await ledger.workflows.show(name, { tenant });
  if ('kind' in shown) return shown;
  return ledger.workflows.compensate(name, {
    tenant,
    by: 'rita',
    reason: 'the trip is off',
    revisionSeen: shown.revision,
  });
}

function toolOf(ledger: Ledger, name: string): LedgerTool {
  const tool = Object.values(ledger.tools).find((each) => each.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool as LedgerTool;
}
