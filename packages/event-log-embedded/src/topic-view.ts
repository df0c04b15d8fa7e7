// What is read of one topic. Partitions that it does not have are never asked for.
import { type LogSource } from '@action-ledger/event-log';

export type TopicView = Pick<LogSource, 'read' | 'end' | 'waiting'>;
