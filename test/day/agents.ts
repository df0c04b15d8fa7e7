// The agents of the day: they make the calls and take the trips that were planned, write down what they are
// told, ask again while it is no outcome, and deliver again what a process took with it.
import { fromOutcome, type Ledger, type LedgerTool, type Outcome } from '@action-ledger/client';
import { draw } from '@action-ledger/sandbox';
import { type VirtualRuntime } from '@action-ledger/testkit';
import { type Planned, type PlannedCall, type PlannedTrip } from './plan.ts';
import { hour, minute } from './times.ts';
import { tripParts } from './tools.ts';

export interface Told {
  readonly at: number;
  readonly call: PlannedCall;
  readonly outcome: Outcome;
}

export interface ToldOfTrip {
  readonly at: number;
  readonly trip: PlannedTrip;
  readonly status: string;
}

export interface Agents {
  readonly begin: (planned: Planned) => void;
  /** Another process is there: what has no answer is delivered again. */
  readonly redeliver: () => void;
  readonly told: readonly Told[];
  readonly trips: readonly ToldOfTrip[];
  /** Begun and not answered. */
  readonly waiting: () => number;
}

export interface AgentsDeps {
  readonly time: VirtualRuntime;
  readonly seed: number;
  /** The process that is there now. */
  readonly ledger: () => Ledger | undefined;
}

const asksMax = 6;
const lastAskAt = 23 * hour;

interface Errand {
  readonly planned: Planned;
  readonly asked: number;
}

export function createAgents({ time, seed, ledger }: AgentsDeps): Agents {
  const told: Told[] = [];
  const trips: ToldOfTrip[] = [];
  const open = new Set<Errand>();
  const now = (): number => time.clock.monoMs();

  const carryOut = async (errand: Errand): Promise<void> => {
    const there = ledger();
    if (there === undefined) return;
    try {
      const { planned } = errand;
      if (planned.kind === 'call') await call(there, planned, errand);
      else await travel(there, planned, errand);
    } catch {
      // The process has gone: it is delivered again to the next one.
    }
  };
  const begin = (planned: Planned, asked = 0): void => {
    const errand = { planned, asked };
    open.add(errand);
    void carryOut(errand);
  };
  const askAgain = (planned: Planned, asked: number): void => {
    const afterMs = Math.round((5 + 40 * draw(seed, 'asks', nameOf(planned), asked)) * minute);
    if (asked >= asksMax || now() + afterMs > lastAskAt) return;
    time.timers.after(afterMs, () => {
      begin(planned, asked + 1);
    });
  };
  const call = async (there: Ledger, planned: PlannedCall, errand: Errand): Promise<void> => {
    const outcome = await propose(there, planned);
    if (!open.delete(errand)) return;
    told.push({ at: now(), call: planned, outcome });
    if (errand.asked === 0 && planned.cancelAfterMs !== undefined)
      time.timers.after(planned.cancelAfterMs, () => void cancel(ledger(), outcome));
    if (isNoOutcome(outcome)) askAgain(planned, errand.asked);
  };
  const travel = async (there: Ledger, planned: PlannedTrip, errand: Errand): Promise<void> => {
    const { status } = await takeTrip(there, planned);
    if (!open.delete(errand)) return;
    trips.push({ at: now(), trip: planned, status });
    if (status === 'running' || status === 'refused') askAgain(planned, errand.asked);
  };

  return {
    begin: (planned) => {
      const copies = planned.kind === 'call' ? planned.copies : 1;
      for (let copy = 0; copy < copies; copy += 1) begin(planned);
    },
    redeliver: () => {
      for (const errand of open) void carryOut(errand);
    },
    told,
    trips,
    waiting: () => open.size,
  };
}

function nameOf(planned: Planned): string {
  return planned.kind === 'call' ? planned.call : planned.id;
}

function isNoOutcome({ word, code }: Outcome): boolean {
  return (
    word === 'in-progress' ||
    word === 'checking' ||
    word === 'waiting-for-approval' ||
    code === 'ledger.paused' ||
    code === 'ledger.closing'
  );
}

function propose(
  ledger: Ledger,
  { tool, tenant, arguments: args, run, turn, call }: PlannedCall,
): Promise<Outcome> {
  return ledger.propose({
    tool,
    tenant,
    arguments: args,
    origin: { run, turn, call },
    by: `agent of ${tenant}`,
  });
}

async function cancel(ledger: Ledger | undefined, { actionId, revision }: Outcome): Promise<void> {
  if (ledger === undefined || actionId === undefined || revision === undefined) return;
  const reason = 'changed my mind';
  await ledger.cancel({ actionId, revisionSeen: revision, by: 'carol', reason });
}

function takeTrip(
  ledger: Ledger,
  { tenant, id, failsAt }: PlannedTrip,
): Promise<{ readonly status: string }> {
  return ledger.workflow({ tenant, id, run: id }, async (step) => {
    for (const part of tripParts) {
      const trip = part === failsAt ? `${id}-impossible` : id;
      const compensate = {
        tool: toolOf(ledger, `cancel_${part}`),
        arguments: { reservation: fromOutcome('reservation_id') },
      };
      await step(`book ${part}`, toolOf(ledger, `book_${part}`), { trip }, { compensate });
    }
  });
}

function toolOf(ledger: Ledger, name: string): LedgerTool {
  const tool = Object.values(ledger.tools).find((each) => each.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool as LedgerTool;
}
