// The notifier over the ledger of this process: it follows the events by the log of the process, and keeps
// what it has told in the file itself.
import { hash } from 'node:crypto';
import { createLedgerClock } from '@action-ledger/application';
import { type EmbeddedEventLog } from '@action-ledger/event-log-embedded';
import { type EventStore } from '@action-ledger/event-store';
import { type Logger } from '@action-ledger/gateway';
import { type Endpoint } from '@action-ledger/notifications';
import { createNotifier, type Notifier } from '@action-ledger/notifier';
import { type Runtime } from '@action-ledger/runtime';

export interface NotifyingOptions {
  readonly endpoints: readonly Endpoint[];
}

export interface Notifying {
  readonly notifier: Notifier;
  /** Of its endpoints. */
  readonly names: readonly string[];
  stop(): Promise<void>;
}

export interface NotifyingDeps extends NotifyingOptions {
  readonly log: EmbeddedEventLog;
  readonly store: EventStore;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

/** @throws StoreFault where what was told cannot be read */
export async function openNotifying(deps: NotifyingDeps): Promise<Notifying> {
  const { log, store, runtime, logger, endpoints } = deps;
  const onFault = (where: string, fault: unknown): void => {
    logger.warn({ fault }, `notifications: ${where}`);
  };
  const notifier = createNotifier({
    log,
    store,
    runtime,
    endpoints,
    sha256: (text) => hash('sha256', text, 'base64url'),
    clock: createLedgerClock(runtime.clock),
    onFault,
    onGivenUp: ({ notification, endpoint, tries, reason }) => {
      const { id, kind } = notification;
      const what = `nobody was told at ${endpoint}: ${kind} (${tries} tries: ${reason})`;
      logger.error({ notice: id }, what);
    },
  });
  await notifier.start();
  return { notifier, names: endpoints.map(({ name }) => name), stop: () => notifier.stop() };
}
