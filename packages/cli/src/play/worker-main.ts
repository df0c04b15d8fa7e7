// The worker of a play with kills: it owns the ledger's file, and ends itself with SIGKILL at the
// points that are drawn for it. Everything that must survive it is with its parent.
import { writeSync } from 'node:fs';
import { createLedger } from '@action-ledger/client';
import { createSystemRuntime } from '@action-ledger/runtime';
import { connectProvider, sandboxTool } from '@action-ledger/sandbox';
import { defineTool } from '@action-ledger/tools';
import { deliveredOf, restWithinMs } from './delivery.ts';
import { createExecutioner } from './executioner.ts';
import { createKillGate } from './kill-gate.ts';
import { createKillPlan } from './kill-plan.ts';
import { createUnhurriedRuntime } from './unhurried-runtime.ts';
import {
  type FromWorker,
  killLogFd,
  type PendingDelivery,
  type ToWorker,
} from './worker-messages.ts';

interface Worker {
  readonly deliver: (pending: PendingDelivery) => Promise<void>;
  /** What the worker before left unanswered. */
  readonly resume: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Does what its parent says until that closes it, dies, or a point is drawn. */
export function runWorker(): void {
  let worker: Promise<Worker> | undefined;
  const send = (message: FromWorker): void => {
    process.send?.(message);
  };
  const failed = (error: unknown): void => {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    send({ type: 'failed', message });
  };
  const use = (act: (opened: Worker) => Promise<void>): void => {
    worker?.then(act).catch(failed);
  };
  process.on('message', (message: ToWorker) => {
    switch (message.type) {
      case 'open':
        worker = openWorker(message, send);
        use(({ resume }) => resume());
        return;
      case 'deliver':
        use(({ deliver }) => deliver(message));
        return;
      case 'close':
        use(async ({ close }) => {
          await close();
          process.disconnect();
        });
    }
  });
  // Without a parent there is nobody to work for.
  process.on('disconnect', () => process.exit());
}

type Open = Extract<ToWorker, { readonly type: 'open' }>;

async function openWorker(open: Open, send: (message: FromWorker) => void): Promise<Worker> {
  const die = (): void => {
    process.kill(process.pid, 'SIGKILL');
  };
  const gate = createKillGate(die);
  const executioner = createExecutioner({
    gate,
    die,
    plan: createKillPlan(open.seed, open.killShare),
    log: (pass) => {
      writeSync(killLogFd, `${JSON.stringify(pass)}\n`);
    },
  });
  for (const pending of open.pending) {
    executioner.expect(pending);
    // Their actions go on as soon as the ledger is open, before they are delivered.
    await gate.enter(pending.delivery.tenant);
  }
  const provider = connectProvider(open.url);
  const ledger = await createLedger({
    path: open.path,
    runtime: createUnhurriedRuntime(createSystemRuntime()),
    tools: open.tools.map((tool) => defineTool(sandboxTool(tool, provider))),
    onPoint: executioner.passed,
  });
  executioner.opened(ledger);
  const propose = async ({
    id,
    delivery: { seq: _, ...proposal },
  }: PendingDelivery): Promise<void> => {
    const { tenant } = proposal;
    const told = await executioner.within(tenant, () =>
      ledger.propose({ ...proposal, waitMs: restWithinMs }),
    );
    gate.leave(tenant);
    send({ type: 'told', id, told: deliveredOf(told) });
  };
  return {
    deliver: async (pending) => {
      executioner.expect(pending);
      await gate.enter(pending.delivery.tenant);
      await propose(pending);
    },
    resume: async () => {
      await Promise.all(open.pending.map(propose));
    },
    close: async () => {
      await ledger.close();
      provider.close();
    },
  };
}
