// All metrics of a process: what its ledger, store, services and gateway count, as one text. Nothing is
// computed before somebody asks.
import {
  type BrokenRecord,
  type LedgerGauges,
  type LedgerWatch,
  type Pause,
  type ServiceHealth,
} from '@action-ledger/application';
import { type Action } from '@action-ledger/domain';
import { type Clock } from '@action-ledger/runtime';
import { createCounts, createDurations, histogramSamples } from './counts.ts';
import { type Family, render } from './exposition.ts';
import { counter, createLedgerCounts, gauge, histogram } from './ledger-counts.ts';

/** What is looked at with each scrape. Each may be missing: then its metrics have no samples. */
export interface MetricSources {
  readonly ledger?: {
    gauges(): LedgerGauges;
    pauses(): readonly Pause[];
  };
  readonly store?: () => StoreCounts;
  readonly services?: Readonly<Record<string, { health(): ServiceHealth }>>;
  readonly notifications?: () => NotificationCounts;
}

export interface StoreCounts {
  readonly appends: number;
  /** Where the store has a file. */
  readonly syncs?: number;
  readonly bytes?: number;
  /** Upper bounds in seconds. */
  readonly bounds: readonly number[];
  readonly latency: { readonly counts: readonly number[]; readonly sumSeconds: number };
}

export interface NotificationCounts {
  readonly pending: number;
  readonly failures: number;
  readonly ended: Readonly<Record<string, number>>;
}

export interface HttpFacts {
  readonly method: string;
  /** The pattern, never the path. */
  readonly route: string;
  readonly status: number;
  readonly ms: number;
}

export interface Metrics {
  /** For `createLedger`. */
  readonly watch: Required<LedgerWatch>;
  /** What was open before, one by one, then `seeded`. */
  readonly seed: (action: Action) => void;
  readonly seeded: () => void;
  readonly broken: (invariant: BrokenRecord['invariant']) => void;
  readonly answered: (facts: HttpFacts) => void;
  readonly attach: (sources: MetricSources) => void;
  /** Prometheus text. */
  readonly scrape: () => string;
}

const httpSeconds = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

export function createMetrics({ clock }: { readonly clock: Pick<Clock, 'wallMs'> }): Metrics {
  const ledger = createLedgerCounts();
  const requests = createCounts(['method', 'route', 'status']);
  const durations = createDurations('route', httpSeconds);
  let sources: MetricSources = {};
  return {
    watch: ledger.watch,
    seed: ledger.open.seed,
    seeded: ledger.open.seeded,
    broken: ledger.broken,
    answered: ({ method, route, status, ms }) => {
      requests.add([method, route, String(status)]);
      durations.observe(route, ms / 1_000);
    },
    attach: (more) => {
      sources = { ...sources, ...more };
    },
    scrape: () =>
      render([
        ...ledger.families(clock.wallMs()),
        ...ledgerFamilies(sources),
        ...storeFamilies(sources.store?.()),
        ...serviceFamilies(sources.services ?? {}),
        ...notificationFamilies(sources.notifications?.()),
        counter(
          'http_requests_total',
          'Requests answered, by route and status.',
          requests.samples(),
        ),
        histogram('http_request_seconds', 'Time to the answer, by route.', durations.samples()),
      ]),
  };
}

function ledgerFamilies({ ledger }: MetricSources): readonly Family[] {
  const gauges = ledger?.gauges();
  const suppressed = Object.entries(gauges?.suppressed ?? {});
  return [
    counter(
      'suppressed_total',
      'Calls that were not carried out: duplicates, conflicts, refusals.',
      suppressed.map(([kind, value]) => ({ labels: { kind }, value })),
    ),
    gauge('pauses', 'Pauses that are in force.', one(ledger?.pauses().length)),
    gauge('due_actions', 'Open actions in the due index.', one(gauges?.due)),
    gauge('reports_waiting', 'Reports that match no action yet.', one(gauges?.reportsWaiting)),
    gauge('slots_in_use', 'Attempts under way in this process.', one(gauges?.attempts)),
  ];
}

function storeFamilies(store: StoreCounts | undefined): readonly Family[] {
  const { latency, bounds = [] } = store ?? {};
  const samples =
    latency === undefined
      ? []
      : histogramSamples(bounds, { counts: latency.counts, sum: latency.sumSeconds });
  return [
    counter('store_syncs_total', 'Syncs of the disk by commits.', one(store?.syncs)),
    counter('store_appends_total', 'Appends written.', one(store?.appends)),
    counter('store_written_bytes_total', 'Bytes of the rows written.', one(store?.bytes)),
    histogram('store_append_seconds', 'Time until an append was durable.', samples),
  ];
}

const conditions = ['stopped', 'starting', 'live', 'paused', 'stuck'] as const;

function serviceFamilies(
  services: Readonly<Record<string, { health(): ServiceHealth }>>,
): readonly Family[] {
  const all = Object.entries(services).map(([service, each]) => ({
    service,
    health: each.health(),
  }));
  const by = (value: (health: ServiceHealth) => number | undefined): Family['samples'] =>
    all.flatMap(({ service, health }) => {
      const found = value(health);
      return found === undefined ? [] : [{ labels: { service }, value: found }];
    });
  return [
    gauge(
      'service_condition',
      'One for the condition that the service is in, else 0.',
      all.flatMap(({ service, health }) =>
        conditions.map((condition) => ({
          labels: { service, condition },
          value: health.condition === condition ? 1 : 0,
        })),
      ),
    ),
    gauge(
      'service_lag',
      'Records that wait for the service.',
      by(({ lag }) => lag),
    ),
    gauge(
      'service_stalled_seconds',
      'Since the last progress where something waits, else 0.',
      by(({ stalledMs }) => stalledMs / 1_000),
    ),
    counter(
      'service_handled_total',
      'Records that were handled.',
      by(({ handled }) => handled),
    ),
    counter(
      'service_redelivered_total',
      'Records that came once more after they were handled.',
      by(({ redelivered }) => redelivered),
    ),
    counter(
      'service_dead_letters_total',
      'Records that were put aside.',
      by(({ deadLetters }) => deadLetters),
    ),
  ];
}

function notificationFamilies(counts: NotificationCounts | undefined): readonly Family[] {
  const ended = Object.entries(counts?.ended ?? {});
  return [
    gauge('notifications_pending', 'Notifications on their way.', one(counts?.pending)),
    counter(
      'notification_failures_total',
      'Tries of notifications that failed.',
      one(counts?.failures),
    ),
    counter(
      'notifications_ended_total',
      'Notifications that were delivered, dropped or given up.',
      ended.map(([end, value]) => ({ labels: { end: end.replace(' ', '_') }, value })),
    ),
  ];
}

function one(value: number | undefined): Family['samples'] {
  return value === undefined ? [] : [{ value }];
}
