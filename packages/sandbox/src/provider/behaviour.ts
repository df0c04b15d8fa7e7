// What a sandbox provider is told to be: what it offers per tool, how it answers, what goes wrong.
import { type JsonObject, type JsonValue } from '@action-ledger/domain';
import { type Runtime } from '@action-ledger/runtime';
import { type Fault, type LookupFault } from './fault.ts';
import { type LookupQuery, type ProviderRequest } from './wire.ts';

/** What the provider offers for one tool. */
export interface ToolBehaviour {
  /** It dedupes by the downstream key, for so long from the key's first request. Without: it does not. */
  readonly keyWindowMs?: number;
  /** A read sees an effect only so long after it. */
  readonly lookupLagMs?: number;
  /** The tool sets a state: the name of what it sets. */
  readonly entity?: (args: JsonObject) => string;
  /** At most one effect per name; a second is refused with the id and the reference of the first. */
  readonly unique?: (args: JsonObject) => string;
}

export type ProviderAnswer =
  | { readonly kind: 'accepted'; readonly result: JsonValue }
  | { readonly kind: 'refused'; readonly error: string; readonly code?: string };

/** The provider's own report of an effect. */
export interface Webhook {
  readonly tenant: string;
  readonly tool: string;
  readonly key: string;
  readonly externalId: string;
  readonly result: JsonValue;
}

export interface ProviderOptions {
  readonly runtime: Runtime;
  /** Default: it offers nothing but lookups without lag. */
  readonly behaviour?: (tool: string) => ToolBehaviour;
  /** What the world says to a request. Default: accepted, with `{ done: true }`. */
  readonly answer?: (request: ProviderRequest) => ProviderAnswer;
  readonly fault?: (request: ProviderRequest) => Fault | undefined;
  readonly lookupFault?: (query: LookupQuery) => LookupFault | undefined;
  /** Runs when a request has arrived, before anything is done about it; it may hold it up. */
  readonly onArrival?: (request: ProviderRequest) => void | Promise<void>;
  readonly onWebhook?: (webhook: Webhook) => void;
  /** How long a silent connection stays open if its sender does not give up. Default 10 minutes. */
  readonly silenceMs?: number;
  /** Newest arrivals kept in `arrivals`; the tally counts all of them. Default 100,000. */
  readonly arrivalsMax?: number;
}
