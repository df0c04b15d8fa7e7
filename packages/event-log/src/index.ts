export * from './event-log.ts';
export * from './event-place.ts';
export * from './log-fault.ts';
export * from './log-source.ts';
export * from './topics.ts';
export { type Bell, createBell } from './bell.ts';
export { checkConsumeOptions, checkGroup, checkRecords, unknownTopic } from './check-options.ts';
export { createNotices, type Notices } from './notices.ts';
export { deliver, type DeliveryParts, pauseAfter, pauseFor } from './deliver.ts';
export { createGroups, type Groups, type GroupsParts, type LocalConsumer } from './groups.ts';
export {
  createMemoryEventLog,
  type MemoryEventLog,
  type MemoryEventLogOptions,
} from './memory-event-log.ts';
export { partitionOf } from './partition-of.ts';
