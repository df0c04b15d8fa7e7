// What the process of a service works with: its settings, the store and the log, its tools, and what it
// counts. A service takes of it what it needs.
import { hash } from 'node:crypto';
import {
  type LedgerClock,
  type OnFault,
  type OwnCore,
  type Service,
  type ServiceDeps,
  usualBurst,
} from '@action-ledger/application';
import { type SecretDigest } from '@action-ledger/client';
import { type EventLog } from '@action-ledger/event-log';
import { type EventStore } from '@action-ledger/event-store';
import { type Metrics, type OpenBefore, seeOpen } from '@action-ledger/metrics';
import { type Runtime } from '@action-ledger/runtime';
import { type ToolSet } from '@action-ledger/tools';
import { type ProcessLogger } from './logger.ts';
import { type Settings } from './settings.ts';
import { stopTimes } from './stopping.ts';

export interface ProcessParts {
  readonly settings: Settings;
  /** Of this process among all. */
  readonly instance: string;
  readonly store: EventStore;
  readonly log: EventLog;
  readonly tools: ToolSet;
  readonly runtime: Runtime;
  readonly logger: ProcessLogger;
  readonly metrics: Metrics;
  readonly digestSecret: SecretDigest;
  readonly sha256: (text: string) => string;
  readonly clock: LedgerClock;
  /** Aborted when it is told to stop. */
  readonly stop: AbortSignal;
  readonly onFault: OnFault;
}

/** A service as its process runs it. */
export interface Running extends Service {
  /** What else there is to say of it once it has started, such as where it listens. */
  readonly urls?: () => Readonly<Record<string, string>>;
}

/** A core of its own among many processes. */
export function ownCoreOf(parts: ProcessParts): OwnCore {
  const { settings, instance, store, tools, runtime, digestSecret, sha256 } = parts;
  const { logger, metrics, stop } = parts;
  return {
    store,
    tools,
    runtime,
    sha256,
    digestSecret,
    instance,
    drainMs: stopTimes.drainMs,
    pauseOnBurst: usualBurst,
    slotsMax: settings.slots,
    watch: metrics.watch,
    onOpen: (core) => {
      const { ledger } = core;
      metrics.attach({ ledger });
      const open: OpenBefore = {
        openActions: () => ledger.openActions(),
        load: (actionId) => core.known(actionId),
      };
      seeOpen(open, metrics, () => stop.aborted).catch((fault: unknown) => {
        // Read one after the other: who is stopped meanwhile has no store any more.
        if (!stop.aborted) parts.onFault('counting what is open', fault);
      });
    },
    onFault: parts.onFault,
    onNotice: (notice) => {
      if (notice.kind === 'paused') logger.warn({ pause: notice.pause }, 'paused');
      else logger.info({ notice: notice.kind }, 'notice');
      if (notice.kind === 'stream broken') metrics.broken('chain-holds');
    },
  };
}

/** Of a service that has a duty. */
export function serviceDepsOf(parts: ProcessParts): ServiceDeps {
  const { log, runtime, onFault } = parts;
  const { drainMs, stopWithinMs } = stopTimes;
  return { core: { own: ownCoreOf(parts) }, log, runtime, onFault, drainMs, stopWithinMs };
}

export function sha256(text: string): string {
  return hash('sha256', text, 'base64url');
}
