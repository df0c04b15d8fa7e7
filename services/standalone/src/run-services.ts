// The services of this process over its one core, told of what is stored by the one log beside the file.
// They are started in the order in which they need one another, and stopped in the other, one by one. The
// executor and the reconciler run attempts, and each waits for its own.
import { type ComposedLedger } from '@action-ledger/client';
import { createCompensator } from '@action-ledger/compensator';
import { type EmbeddedEventLog } from '@action-ledger/event-log-embedded';
import { createExecutor } from '@action-ledger/executor';
import { type Logger } from '@action-ledger/gateway';
import { createReconciler } from '@action-ledger/reconciler';
import { type Runtime } from '@action-ledger/runtime';

/** What the one core does itself it knows without the log: nothing that the log tells here is urgent. */
const lingerMs = 250;

type Service = ReturnType<typeof createExecutor>;

/** By name. */
export type ActingServices = Readonly<Record<'executor' | 'reconciler' | 'compensator', Service>>;

export interface RunningServices {
  readonly services: ActingServices;
  /**
   * Begins nothing more, and waits for what is under way. Each in its turn: at most 10 s for the records in its
   * hands, then 30 s for its attempts, and 5 s more for the outcomes of those that it aborted.
   */
  stop(): Promise<void>;
}

export interface ServicesDeps extends Pick<ComposedLedger<never>, 'core'> {
  readonly log: EmbeddedEventLog;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

/** @throws StoreFault where what is open cannot be read; then none of them runs */
export async function runServices({
  core,
  log,
  runtime,
  logger,
}: ServicesDeps): Promise<RunningServices> {
  const depsOf = (name: string): Parameters<typeof createExecutor>[0] => ({
    core: { core },
    log,
    lingerMs,
    runtime,
    onFault: (where, fault) => {
      logger.error({ fault }, `${name}: ${where}`);
    },
  });
  const services = {
    executor: createExecutor(depsOf('executor')),
    reconciler: createReconciler(depsOf('reconciler')),
    compensator: createCompensator(depsOf('compensator')),
  };
  const inOrder = Object.values(services);
  const stop = async (): Promise<void> => {
    for (const service of [...inOrder].reverse()) await service.stop();
  };
  try {
    for (const service of inOrder) await service.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { services, stop };
}
