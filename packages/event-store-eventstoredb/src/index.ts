export {
  openEventStoreDbEventStore,
  type EventStoreDbOptions,
} from './eventstoredb-event-store.ts';
