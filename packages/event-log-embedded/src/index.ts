export {
  type EmbeddedEventLog,
  type EmbeddedEventLogOptions,
  openEmbeddedEventLog,
} from './embedded-event-log.ts';
export { type Encode } from './record-of-event.ts';
export { type StateOf } from './state-view.ts';
