// One way an agent's action goes wrong: played through a ledger, and once more without one, each
// against a provider of its own that counts what really happened.
import { type Guarantee } from '@action-ledger/domain';
import { type Fault, type ToolBehaviour } from '@action-ledger/sandbox';
import { type BareAgent } from './bare-agent.ts';
import { type Stage } from './stage.ts';
import { type Step } from './step.ts';

export interface DemoCase {
  readonly title: string;
  readonly guarantee: Guarantee;
  /** How many effects a careful person would want of what happens in this case. */
  readonly effectsWanted: number;
  /** What the provider offers. */
  readonly behaviour?: ToolBehaviour;
  /** What goes wrong with the nth request of a play, counted from 1. */
  readonly fault?: (nth: number) => Fault | undefined;
  /** A request that the provider refuses, and why. */
  readonly refuses?: (args: Readonly<Record<string, unknown>>) => string | undefined;
  readonly play: (stage: Stage) => Promise<void>;
  /** The same happenings, met by an agent that calls the provider itself and tries again on errors. */
  readonly without: (agent: BareAgent) => Promise<void>;
}

export interface CaseResult {
  readonly number: number;
  readonly title: string;
  readonly tool: string;
  readonly guarantee: Guarantee;
  readonly steps: readonly Step[];
  readonly effects: {
    readonly wanted: number;
    /** By the provider. */
    readonly counted: number;
    readonly withoutLedger: number;
  };
  /** What else was not as it should be. */
  readonly wrong: readonly string[];
  readonly ok: boolean;
}

export function onFirst(fault: Fault): (nth: number) => Fault | undefined {
  return (nth) => (nth === 1 ? fault : undefined);
}

/** For cases that have to wait until a request cannot be under way any more. */
export const hurried = { timeoutMs: 60, inFlightMs: 140 } as const;
