// Every bound of the gateway, with its default. Times in milliseconds, sizes in bytes.
import { proposalJsonLimits } from '@action-ledger/proposals';

export interface Limits {
  /** Of a request's body. Arguments alone are bounded by the ledger: 256 KiB. */
  readonly bodyBytesMax: number;
  /** Objects and arrays inside one another; arguments lie one deeper than the ledger counts them. */
  readonly bodyDepthMax: number;
  /** All headers of a request together. */
  readonly headerBytesMax: number;
  readonly headersTimeoutMs: number;
  /** Until the whole request has arrived. */
  readonly requestTimeoutMs: number;
  readonly keepAliveMs: number;
  /** A connection on which nothing moves for so long is cut: longer than any answer is held. */
  readonly idleMs: number;
  readonly connectionsMax: number;
  /** Requests being answered at once; streams, and those that wait for work, do not count. */
  readonly underWayMax: number;
  /** Of one tenant, so that those whose requests arrive slowly or are held leave room for others. */
  readonly tenantUnderWayMax: number;
  /** Requests that wait for work; beyond these bounds one is answered at once. */
  readonly pollsMax: number;
  readonly tenantPollsMax: number;
  readonly keyPollsMax: number;
  /** Of one principal, or of one address where nobody is known. */
  readonly requestsPerMinute: number;
  /** Of all principals of one tenant together, so that none takes the place of the others. */
  readonly tenantRequestsPerMinute: number;
  /** How long a proposal's answer is held where nothing is preferred, and at most. */
  readonly waitMs: number;
  readonly waitMsMax: number;
  readonly streamsMax: number;
  readonly tenantStreamsMax: number;
  /** Not yet taken by a reader: one that lags further behind is served from the store, at its own pace. */
  readonly streamLagBytesMax: number;
  /** A reader that lags and takes nothing for so long is dropped. */
  readonly streamStuckMs: number;
  readonly heartbeatMs: number;
  /** Then a stream ends, and its reader comes again with fresh credentials. */
  readonly streamMsMax: number;
  /** Readers that are being brought up to date from the store at once. */
  readonly catchUpsMax: number;
  /** How long `stop` waits for what is under way. */
  readonly drainMs: number;
}

export const defaultLimits: Limits = {
  bodyBytesMax: proposalJsonLimits.bytesMax,
  bodyDepthMax: proposalJsonLimits.depthMax,
  headerBytesMax: 16 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 20_000,
  keepAliveMs: 10_000,
  idleMs: 120_000,
  connectionsMax: 16_000,
  underWayMax: 2_000,
  tenantUnderWayMax: 1_000,
  pollsMax: 4_000,
  tenantPollsMax: 2_000,
  keyPollsMax: 1_000,
  requestsPerMinute: 60_000,
  tenantRequestsPerMinute: 240_000,
  waitMs: 10_000,
  waitMsMax: 60_000,
  streamsMax: 10_000,
  tenantStreamsMax: 5_000,
  streamLagBytesMax: 64 * 1024,
  streamStuckMs: 30_000,
  heartbeatMs: 15_000,
  streamMsMax: 60 * 60 * 1_000,
  catchUpsMax: 8,
  drainMs: 30_000,
};
