// What the processes of the bench say to each other.
import { type ClientName, type ContenderName } from './options.ts';
import { type Told } from './contender.ts';

export type EffectsMessage =
  | { readonly type: 'reset'; readonly losing: boolean }
  | { readonly type: 'count'; readonly each: boolean };

export type EffectsReply =
  | { readonly type: 'listening'; readonly port: number }
  | { readonly type: 'reset' }
  | {
      readonly type: 'counted';
      readonly effects: number;
      /** How many different payments had an effect. */
      readonly payments: number;
      readonly effectsOf: readonly (readonly [paymentId: string, effects: number])[];
    };

/** Handed to a contender's process as its first argument, in JSON. */
export interface ContenderSetting {
  readonly contender: ContenderName;
  /** A folder of its own. */
  readonly dir: string;
  readonly port: number;
  readonly client: ClientName;
  readonly yardstickBytes: number;
}

/** Handed to the service behind the contender `gateway`. */
export interface GatewaySetting extends Pick<ContenderSetting, 'dir' | 'port' | 'client'> {
  /** How many API keys it is to make. */
  readonly keys: number;
}

export type GatewayMessage = { readonly type: 'cpu' } | { readonly type: 'close' };

export type GatewayReply =
  | { readonly type: 'serving'; readonly port: number; readonly keys: readonly string[] }
  | { readonly type: 'cpu used'; readonly ms: number }
  | { readonly type: 'closed' };

export interface SliceOrder {
  readonly type: 'slice';
  readonly work: 'W1' | 'W2';
  readonly callers: number;
  readonly actionsMin: number;
  readonly millisMin: number;
}

export interface SliceResult {
  readonly type: 'slice done';
  readonly actions: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** All threads of the process, its work left over after the slice included. */
  readonly cpuMs: number;
  /** Group commits during the slice, where the contender counts them. */
  readonly commits: number | undefined;
}

export type ContenderMessage =
  | SliceOrder
  | { readonly type: 'perform'; readonly callers: number; readonly payments: readonly number[] }
  | { readonly type: 'close' };

export type ContenderReply =
  | { readonly type: 'ready' }
  | SliceResult
  | { readonly type: 'told'; readonly payment: number; readonly told: Told; readonly ms: number }
  | { readonly type: 'performed' }
  | { readonly type: 'closed' };
