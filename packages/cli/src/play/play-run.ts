// Plays one run: its calls in order, each after the last is settled or rests with an operator. With
// duplicate deliveries, a drawn share of the calls is delivered once more: at once, right after the
// answer, or only after the run's next write.
import { draw, type PlayCall, type PlayRun } from '@action-ledger/sandbox';
import { type CallTally, type RunTally } from './call-tally.ts';
import { type Delivered, type Deliverer, type Delivery } from './delivery.ts';

export interface RunDeps {
  readonly deliverer: Deliverer;
  readonly tally: CallTally;
  readonly seed: number;
  /** Share of the writes, from 0 to 1. */
  readonly duplicateDeliveries: number;
}

export async function playRun(run: PlayRun, deps: RunDeps): Promise<void> {
  const tally = deps.tally.openRun(run);
  let held: PlayCall | undefined;
  for (const call of run.calls) {
    if (call.kind === 'read') {
      tally.read();
      continue;
    }
    const again = redeliveryOf(run, call, deps);
    const told = await firstAnswer(run, call, again === 'at once', deps, tally);
    if (again === 'right after') await redeliver(run, call, deps, tally);
    if (held !== undefined) await redeliver(run, held, deps, tally);
    // What is refused leaves no trace, so that it would be a call like any other later on.
    held = again === 'after the next' && told.state !== 'refused' ? call : undefined;
  }
  if (held !== undefined) await redeliver(run, held, deps, tally);
}

async function firstAnswer(
  run: PlayRun,
  call: PlayCall,
  twice: boolean,
  { deliverer }: RunDeps,
  tally: RunTally,
): Promise<Delivered> {
  const delivery = deliveryOf(run, call);
  if (!twice) {
    const told = await deliverer.deliver(delivery);
    tally.answered(call, told);
    return told;
  }
  const [told, again] = await Promise.all([
    deliverer.deliver(delivery),
    deliverer.deliver(delivery),
  ]);
  tally.answered(call, told);
  tally.redelivered(again);
  return told;
}

async function redeliver(
  run: PlayRun,
  call: PlayCall,
  { deliverer }: RunDeps,
  tally: RunTally,
): Promise<void> {
  tally.redelivered(await deliverer.deliver(deliveryOf(run, call)));
}

type Redelivery = 'at once' | 'right after' | 'after the next';
const redeliveries: readonly Redelivery[] = ['at once', 'right after', 'after the next'];

function redeliveryOf(
  { tenant }: PlayRun,
  { seq }: PlayCall,
  { seed, duplicateDeliveries }: RunDeps,
): Redelivery | undefined {
  if (draw(seed, 'redelivery', tenant, seq) >= duplicateDeliveries) return undefined;
  return redeliveries[Math.floor(draw(seed, 'redelivered', tenant, seq) * redeliveries.length)];
}

function deliveryOf({ tenant }: PlayRun, call: PlayCall): Delivery {
  return {
    tenant,
    seq: call.seq,
    tool: call.kind === 'write' ? call.tool.name : call.recordedTool,
    arguments: call.arguments,
    origin: call.origin,
  };
}
