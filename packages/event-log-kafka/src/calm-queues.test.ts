import { afterEach, describe, expect, it } from '@jest/globals';
import { calmQueues, RequestQueue } from './calm-queues.ts';

describe('a queue of requests of the client', () => {
  calmQueues();
  calmQueues();
  const queue = new RequestQueue({ maxInFlightRequests: null, logger: { debug: () => undefined } });
  afterEach(() => {
    queue.destroy();
  });

  it('sets no timer where nothing waits in it', () => {
    queue.checkPendingRequests();
    expect(queue.throttleCheckTimeoutId).toBeNull();
  });

  it('sets one where something does', () => {
    queue.pending.push({});
    queue.scheduleCheckPendingRequests();
    expect(queue.throttleCheckTimeoutId).not.toBeNull();
  });
});
