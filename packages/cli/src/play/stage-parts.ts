// The parts of a play's stage: what is outside, the ledger, and who was killed on it.
import { type EventStore } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { type PlayRun, type RecordedWorld, type SandboxProvider } from '@action-ledger/sandbox';
import { type Deliverer } from './delivery.ts';
import { type FleetDeps } from './distributed/fleet.ts';
import { type PointPassed } from './kill-plan.ts';
import { type StartServer } from './own-server.ts';
import { type StartWorker } from './workers.ts';

/** Faults that requests have met. */
export interface DrawnFaults {
  lostResponses: number;
  timeouts: number;
}

export interface Stage {
  readonly provider: SandboxProvider;
  readonly ledger: Deliverer;
  readonly drawn: Readonly<DrawnFaults>;
  readonly kills: readonly PointPassed[];
  readonly workersKilled: () => number;
  readonly serverKills: () => number;
  /** Where the ledger is kept, and it is no file. Open until the play has judged it. */
  readonly record?: EventStore;
  /** Before a run's first call, and after its last. */
  readonly openRun: (run: PlayRun) => void;
  readonly closeRun: (run: PlayRun) => void;
  /** Waits for what runs; then the ledger's file can be read. */
  readonly close: () => Promise<void>;
}

export interface StageDeps {
  readonly runtime: Runtime;
  readonly startWorker: StartWorker;
  readonly startServer: StartServer;
  readonly fleet: FleetDeps;
}

export const nobodyKilled = { kills: [], workersKilled: () => 0, serverKills: () => 0 };

/** What the ledger's tools call. */
export interface Outside {
  readonly provider: SandboxProvider;
  readonly world: RecordedWorld;
  readonly drawn: Readonly<DrawnFaults>;
}
