// What a play and its workers tell each other over IPC.
import { type DeclaredTool } from '@action-ledger/sandbox';
import { type Delivered, type Delivery } from './delivery.ts';

/** The pipe that outlives a worker: one line of JSON for each kill, written before it. */
export const killLogFd = 4;

export interface PendingDelivery {
  readonly id: number;
  readonly delivery: Delivery;
  /** Passes at which this call has ended a worker before. */
  readonly spent: readonly string[];
}

export type ToWorker =
  | {
      readonly type: 'open';
      readonly path: string;
      /** The provider's. */
      readonly url: string;
      readonly tools: readonly DeclaredTool[];
      readonly seed: number;
      readonly killShare: number;
      /** What the worker before left unanswered: delivered again once the ledger is open. */
      readonly pending: readonly PendingDelivery[];
    }
  | ({ readonly type: 'deliver' } & PendingDelivery)
  | { readonly type: 'close' };

export type FromWorker =
  | { readonly type: 'told'; readonly id: number; readonly told: Delivered }
  | { readonly type: 'failed'; readonly message: string };
