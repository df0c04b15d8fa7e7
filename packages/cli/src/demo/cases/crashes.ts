// The process dies in the middle; another one opens the same record and goes on.
import { type DemoCase, hurried } from '../demo-case.ts';
import { type Stage } from '../stage.ts';

const from = { run: 'run-1', turn: '1', call: 'call_1' };
const invoice = { invoice: '2026-114', cents: 48_000 };

/** How long a caller waits for a process that is gone. */
const waitMs = 40;

async function crash(stage: Stage, diesAt: 'dispatched' | 'replied', died: string): Promise<void> {
  const tool = stage.tool({
    name: 'pay_invoice',
    fields: ['invoice', 'cents'],
    identity: ['invoice'],
    guarantee: 'lookup',
    ...hurried,
  });
  const first = await stage.openMortal([tool], diesAt);
  await first.ledger.tool(tool).call(invoice, { ...from, waitMs });
  stage.tell(died);
  const second = await stage.open([tool]);
  await second.call(
    'a new process opens the record; its queue delivers the call again',
    'pay_invoice',
    invoice,
    from,
  );
}

const beforeEffect: DemoCase = {
  title: 'The process dies after the dispatch, before the effect',
  guarantee: 'lookup',
  effectsWanted: 1,
  play: (stage) =>
    crash(stage, 'dispatched', 'the dispatch is on record; the process dies before it sends'),
  without: async (agent) => {
    // The first process dies before it sends anything.
    await agent.call('pay_invoice', invoice);
  },
};

const afterEffect: DemoCase = {
  title: 'The process dies after the effect, before it is written down',
  guarantee: 'lookup',
  effectsWanted: 1,
  play: (stage) =>
    crash(stage, 'replied', 'the invoice is paid; the process dies as the answer comes'),
  without: async (agent) => {
    await agent.callOnce('pay_invoice', invoice);
    await agent.call('pay_invoice', invoice);
  },
};

export const crashes = { beforeEffect, afterEffect };
