export {
  openEventStoreDbDouble,
  type DoubleCounts,
  type EventStoreDbDouble,
  type EventStoreDbDoubleOptions,
} from './event-store-db-double.ts';
export { type AppendCall, type AppendFault, type ReadCall, type ReadFault } from './faults.ts';
export { type Member } from './server-info.ts';
