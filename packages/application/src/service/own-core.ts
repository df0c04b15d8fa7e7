// The core that a service acts on: one that the program shares between its services, or one of its own,
// which it opens over the ports and keeps right about what others append.
import { type EventLog } from '@action-ledger/event-log';
import { createMemoryActionIndex } from '@action-ledger/read-models';
import { type ActionIndex } from '../record/action-index.ts';
import { type Core, openCore } from '../core/core.ts';
import { amongProcesses } from '../core/crew.ts';
import { type LedgerOptions } from '../ledger.ts';
import { rebuildIndex } from '../record/rebuild-index.ts';
import { createFollower, type FollowerOptions } from './follower.ts';
import { type Service } from './service.ts';

/**
 * The ports. Without an index, one in memory is filled from the streams. Without a crew, other processes are
 * taken to act on the store too: nobody's claim is over before its lease.
 */
export interface OwnCore extends Omit<LedgerOptions, 'duties' | 'index'> {
  readonly index?: ActionIndex;
  /** Of this process among all that follow the log: it is told of every event. */
  readonly instance: string;
  /** How long closing it waits for attempts under way. Default 30,000. */
  readonly drainMs?: number;
  /** Told when it is there, before anything is done on it: for what is counted of it. */
  readonly onOpen?: (core: Core) => void;
}

export type CoreSource = { readonly core: Core } | { readonly own: OwnCore };

export interface ServiceCore {
  readonly core: Core;
  /** Others move its streams: what the log tells of is taken over before it is acted on. */
  readonly isOwn: boolean;
  /** What tells an own core of the others. */
  readonly follower: Service | undefined;
  readonly close: () => Promise<void>;
}

/** @param stop ends the wait for a log that is away: then nothing is followed */
export async function openServiceCore(
  source: CoreSource,
  log: EventLog,
  loop: Omit<FollowerOptions, 'core' | 'log' | 'instance' | 'runtime'>,
  stop: AbortSignal,
): Promise<ServiceCore> {
  if ('core' in source)
    return {
      core: source.core,
      isOwn: false,
      follower: undefined,
      close: async () => undefined,
    };
  const { instance, onOpen, drainMs, ...ports } = source.own;
  const { runtime } = ports;
  const core = await openOwnCore(ports);
  onOpen?.(core);
  const follower = createFollower({ ...loop, core, log, instance, runtime });
  const close = async (): Promise<void> => {
    await follower.stop();
    await core.ledger.close(drainMs === undefined ? {} : { drainMs });
  };
  const giveUp = (): void => void follower.stop();
  stop.addEventListener('abort', giveUp);
  try {
    if (!stop.aborted) await follower.start();
  } catch (error) {
    await close();
    throw error;
  } finally {
    stop.removeEventListener('abort', giveUp);
  }
  return { core, isOwn: true, follower, close };
}

async function openOwnCore(ports: Omit<OwnCore, 'instance' | 'onOpen' | 'drainMs'>): Promise<Core> {
  const index = ports.index ?? createMemoryActionIndex();
  if (ports.index === undefined) await rebuildIndex(ports.store, ports.tools, index);
  return openCore({ ...ports, index, crew: ports.crew ?? amongProcesses, duties: [] });
}
