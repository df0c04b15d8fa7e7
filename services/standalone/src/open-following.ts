// What works in this process over the one core of its ledger, told of events by one log beside its file:
// the services that act, the auditor, and the notifier where somebody is to be told.
import { type Auditor } from '@action-ledger/auditor';
import { type ComposedLedger, type Ledger } from '@action-ledger/client';
import { openEmbeddedEventLog } from '@action-ledger/event-log-embedded';
import { type Logger } from '@action-ledger/gateway';
import { type Runtime } from '@action-ledger/runtime';
import { type Metering } from './metering.ts';
import { openAuditor } from './open-auditor.ts';
import { type Notifying, type NotifyingOptions, openNotifying } from './open-notifying.ts';
import { type RunningServices, runServices } from './run-services.ts';

export interface FollowingDeps extends Pick<ComposedLedger<never>, 'core'> {
  /** Of the ledger's file. */
  readonly path: string;
  readonly ledger: Ledger;
  readonly notify?: NotifyingOptions;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly metering: Metering | undefined;
}

export interface Following {
  readonly services: RunningServices['services'];
  readonly auditor: Auditor;
  readonly notifying: Notifying | undefined;
  /** Waits for the attempts under way. */
  stop(): Promise<void>;
}

/** @throws LogFault where the log's file is held, StoreFault where what was told cannot be read */
export async function openFollowing(deps: FollowingDeps): Promise<Following> {
  const { path, ledger, core, notify, runtime, logger } = deps;
  const { store } = ledger;
  const onFault = (where: string, fault: unknown): void => {
    logger.warn({ fault }, `event log: ${where}`);
  };
  const log = await openEmbeddedEventLog({ path: `${path}.log`, store, runtime, onFault });
  let acting: RunningServices | undefined;
  let notifying: Notifying | undefined;
  let auditor: Auditor | undefined;
  const stop = async (): Promise<void> => {
    await acting?.stop();
    await notifying?.stop();
    await auditor?.stop();
    await log.close();
  };
  try {
    acting = await runServices({ core, log, runtime, logger });
    if (notify !== undefined)
      notifying = await openNotifying({ ...notify, log, store, runtime, logger });
    auditor = await openAuditor({ ...deps, log });
    return { services: acting.services, auditor, notifying, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
