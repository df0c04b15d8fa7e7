export * from './event-store.ts';
export * from './store-fault.ts';
export { decideAppend, type AppendDecision } from './append-rules.ts';
export { type AppendLatency, appendSeconds, createLatencyCounter } from './append-latency.ts';
export { countAppends, type CountedStore } from './count-appends.ts';
export { checkAppend, checkCut, checkStreamName } from './check-append.ts';
export {
  createSubscriptions,
  subscriptionBatchMax,
  type Subscriptions,
  type SubscriptionSource,
} from './subscriptions.ts';
export {
  createMemoryEventStore,
  type MemoryEventStore,
  type MemoryEventStoreOptions,
} from './memory-event-store.ts';
export { type SeenEvent, stillHolds } from './still-holds.ts';
