// What a log over Kafka is opened with. Times are in milliseconds.
import { type ConnectionOptions } from 'node:tls';
import { type Runtime } from '@action-ledger/runtime';
import { type ISocketFactory, type SASLOptions } from 'kafkajs';

export interface KafkaEventLogOptions {
  /** `host:port` of some of the brokers: the others are learnt from them. */
  readonly brokers: readonly string[];
  readonly runtime: Runtime;
  /** Begins the names of all topics, groups and publishers, so that ledgers can share brokers. Default none. */
  readonly prefix?: string;
  /** What the brokers log this program as. Default `action-ledger`. */
  readonly clientId?: string;
  readonly ssl?: boolean | ConnectionOptions;
  readonly sasl?: SASLOptions;
  readonly topics?: TopicSettings;
  readonly timing?: Partial<Timing>;
  /** Opens a connection to a broker another way: through a tunnel, or one that a test can cut. */
  readonly socketFactory?: ISocketFactory;
}

/** Of topics that are not there yet; those that are must agree on partitions and on what is kept. */
export interface TopicSettings {
  /** Of `action.proposals`, `action.events` and `action.state`; never changed later. Default 12. */
  readonly partitions?: number;
  /** Copies of each partition. Default what the brokers are set to. */
  readonly copies?: number;
  /** How long events are kept; `undefined` for ever, since rebuilding reads them all. */
  readonly eventsMs?: number;
  /** How long proposals are kept. Default 7 days. */
  readonly proposalsMs?: number;
  /** How long dead letters are kept. Default 90 days. */
  readonly deadLettersMs?: number;
}

export interface Timing {
  /** A consumer that says nothing for so long has died: others get its partitions. Default 15,000. */
  readonly sessionMs: number;
  /** How often it says that it lives, and learns that partitions are given out anew. Default 1,000. */
  readonly heartbeatMs: number;
  /** How long a broker keeps a question for records open. Default 100. */
  readonly fetchWaitMs: number;
  /** For so long records and commits are gathered, where few come: less work for a little more time. Default 20. */
  readonly gatherMs: number;
  /** So long without any sign, or with records that wait and do not come: it joins anew. Default 10,000. */
  readonly stallMs: number;
  /** How long one request waits for its answer. Default 10,000. */
  readonly requestMs: number;
  /** After this, closing leaves the rest to the brokers. Default 10,000. */
  readonly closeMs: number;
}

export const timingUsual: Timing = {
  sessionMs: 15_000,
  heartbeatMs: 1_000,
  fetchWaitMs: 100,
  gatherMs: 20,
  stallMs: 10_000,
  requestMs: 10_000,
  closeMs: 10_000,
};
