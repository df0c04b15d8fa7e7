// What follows the events of the ledger in this process, by one log beside its file: the auditor, and the
// notifier where somebody is to be told.
import { type Auditor } from '@action-ledger/auditor';
import { type Ledger } from '@action-ledger/client';
import { openEmbeddedEventLog } from '@action-ledger/event-log-embedded';
import { type Logger } from '@action-ledger/gateway';
import { type Runtime } from '@action-ledger/runtime';
import { type Metering } from './metering.ts';
import { openAuditor } from './open-auditor.ts';
import { type Notifying, type NotifyingOptions, openNotifying } from './open-notifying.ts';

export interface FollowingDeps {
  /** Of the ledger's file. */
  readonly path: string;
  readonly ledger: Ledger;
  readonly notify?: NotifyingOptions;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly metering: Metering | undefined;
}

export interface Following {
  readonly auditor: Auditor;
  readonly notifying: Notifying | undefined;
  stop(): Promise<void>;
}

/** @throws LogFault where the log's file is held, StoreFault where what was told cannot be read */
export async function openFollowing(deps: FollowingDeps): Promise<Following> {
  const { path, ledger, notify, runtime, logger } = deps;
  const { store } = ledger;
  const onFault = (where: string, fault: unknown): void => {
    logger.warn({ fault }, `event log: ${where}`);
  };
  const log = await openEmbeddedEventLog({ path: `${path}.log`, store, runtime, onFault });
  let notifying: Notifying | undefined;
  let auditor: Auditor | undefined;
  const stop = async (): Promise<void> => {
    await notifying?.stop();
    await auditor?.stop();
    await log.close();
  };
  try {
    if (notify !== undefined)
      notifying = await openNotifying({ ...notify, log, store, runtime, logger });
    auditor = await openAuditor({ ...deps, log });
    return { auditor, notifying, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
