export {
  createMetrics,
  type HttpFacts,
  type Metrics,
  type MetricSources,
  type NotificationCounts,
  type StoreCounts,
} from './metrics.ts';
export { type OpenBefore, seeOpen } from './see-open.ts';
export { expositionType } from './exposition.ts';
export { type MetricsServer, serveMetrics, type ServeMetricsOptions } from './serve-metrics.ts';
