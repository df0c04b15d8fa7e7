// Metrics of a ledger in one process, and the access log of its gateway. What was open when it was opened
// is counted in the background.
import { type Ledger } from '@action-ledger/client';
import { appendSeconds } from '@action-ledger/event-store';
import { type SqliteEventStore } from '@action-ledger/event-store-sqlite';
import { type Answered, type Logger } from '@action-ledger/gateway';
import {
  createMetrics,
  type Metrics,
  type MetricsServer,
  serveMetrics,
  seeOpen,
} from '@action-ledger/metrics';
import { type Notifier } from '@action-ledger/notifier';
import { type Auditor } from '@action-ledger/auditor';
import { type Runtime } from '@action-ledger/runtime';
import { type ActingServices } from './run-services.ts';

/** Default: a free port of 127.0.0.1. */
export interface MetricsPlace {
  readonly host?: string;
  readonly port?: number;
}

export interface MeteredServices extends ActingServices {
  readonly auditor: Auditor;
  readonly notifier: Notifier | undefined;
}

export interface Metering {
  readonly watch: Metrics['watch'];
  readonly answered: Metrics['answered'];
  readonly broken: Metrics['broken'];
  /** Of GET /metrics; empty before it is started. */
  url(): string;
  /** @throws where the address is taken */
  start(ledger: Ledger, services: MeteredServices): Promise<void>;
  stop(): Promise<void>;
}

export function createMetering(place: MetricsPlace, runtime: Runtime, logger: Logger): Metering {
  const metrics = createMetrics({ clock: runtime.clock });
  const onFault = (where: string, fault: unknown): void => {
    logger.error({ fault }, where);
  };
  let server: MetricsServer | undefined;
  let isStopped = false;
  const { watch, answered, broken, scrape } = metrics;
  return {
    watch,
    answered,
    broken,
    url: () => server?.url ?? '',
    start: async (ledger, { notifier, ...services }) => {
      metrics.attach({ ledger, store: () => storeCounts(ledger), services });
      if (notifier !== undefined)
        metrics.attach({
          services: { ...services, notifier },
          notifications: () => notifier.counts(),
        });
      server = await serveMetrics({ ...place, scrape, onFault });
      seeOpen(ledger, metrics, () => isStopped).catch((fault: unknown) => {
        onFault('counting what is open', fault);
      });
    },
    stop: async () => {
      isStopped = true;
      await server?.close();
    },
  };
}

function storeCounts({ store }: Ledger): ReturnType<NonNullable<StoreSource>> {
  const sqlite = store as SqliteEventStore;
  return { ...sqlite.counters(), bounds: appendSeconds, latency: sqlite.latency() };
}

type StoreSource = Parameters<Metrics['attach']>[0]['store'];

/** What the gateway is told to tell. */
export function answeredTo(
  { accessLog, logger }: { readonly accessLog?: boolean; readonly logger: Logger },
  metering: Metering | undefined,
): { readonly onAnswered?: (answered: Answered) => void } {
  if (accessLog !== true && metering === undefined) return {};
  return {
    onAnswered: (answered) => {
      metering?.answered(answered);
      if (accessLog === true) logger.info(answered, 'request');
    },
  };
}
