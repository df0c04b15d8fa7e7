// The client looks through what waits to be sent over a connection with a timer that it sets again and again,
// each millisecond and also where nothing waits: a twentieth of a core for each process that does nothing
// (kafkajs issues 1556 and 1704, open since 2023). What comes to wait later sets it by itself.
// @ts-expect-error: of its inside the client lists no types.
import ClientQueue from 'kafkajs/src/network/requestQueue/index.js';

/** What waits to be sent over one connection. */
export interface RequestQueue {
  readonly pending: unknown[];
  readonly throttleCheckTimeoutId: unknown;
  readonly checkPendingRequests: () => void;
  scheduleCheckPendingRequests: (this: RequestQueue) => void;
  readonly destroy: () => void;
}

export const RequestQueue = ClientQueue as new (options: object) => RequestQueue;

let isCalm = false;

/** From now on, for all connections of this process. */
export function calmQueues(): void {
  if (isCalm) return;
  isCalm = true;
  const prototype = RequestQueue.prototype as RequestQueue;
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function scheduleWhereSomeWait(): void {
    if (this.pending.length > 0) schedule.call(this);
  };
}
