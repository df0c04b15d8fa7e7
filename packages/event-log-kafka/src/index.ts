export { type KafkaConsumer } from './consumer.ts';
export { type KafkaEventLog, openKafkaEventLog } from './kafka-event-log.ts';
export { type KafkaEventLogOptions, type Timing, type TopicSettings } from './options.ts';
