// Explains calls against a record that is only read: no ledger runs, no tool is registered, nothing is
// recovered, quarantined or sent.
import { type Refusal, type Sha256 } from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { type ToolSet } from '@action-ledger/tools';
import { createActionStore } from '../record/action-store.ts';
import { noCallerTools } from '../callers/built-tools.ts';
import { createEpochChains } from './chain-of-epochs.ts';
import { explainCall, type ExplainRequest, type Explanation } from './explain.ts';
import { createLedgerClock } from '../core/ledger-clock.ts';
import { type Quarantine } from '../record/quarantine.ts';

export interface ExplainerOptions {
  readonly store: EventStore;
  readonly runtime: Runtime;
  readonly sha256: Sha256;
  readonly tools: ToolSet;
  readonly digestSecret: (path: string, text: string) => string;
}

export function createExplainer(
  options: ExplainerOptions,
): (request: ExplainRequest) => Promise<Explanation | Refusal> {
  const { store, runtime, sha256, tools, digestSecret } = options;
  const actions = createActionStore({
    store,
    sha256,
    runtime,
    clock: createLedgerClock(runtime.clock),
    quarantine: withoutQuarantine,
    onAppended: () => undefined,
    onMoved: () => undefined,
    onRead: () => undefined,
    isShared: () => false,
  });
  const chains = createEpochChains(actions, () => false);
  const observes = (): boolean => false;
  const parts = { tools, callerTools: noCallerTools, observes, actions, sha256, digestSecret };
  return (request) => explainCall(parts, chains, request);
}

/** A damaged stream is told to whoever asks; its incident is for the ledger that runs. */
const withoutQuarantine: Quarantine = {
  open: async () => undefined,
  record: async () => 'kept' as const,
  learn: async () => undefined,
  whyQuarantined: () => undefined,
};
