// What goes over the wire between a tool and the sandbox provider. Replies look as HTTP providers
// give them, so that a connector has to tell success, refusal and doubt apart by itself.
import { type CallOrigin, type JsonObject, type JsonValue } from '@action-ledger/domain';

export interface ProviderRequest {
  /** The account at the provider; accounts share nothing. */
  readonly tenant: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** The downstream key: what the provider dedupes by if it can, and our reference for lookups. */
  readonly key: string;
  /** Counted from 1, by the sender. */
  readonly attempt: number;
  /** The call behind it, where the sandbox answers as that call was answered. */
  readonly origin?: CallOrigin;
  /** Wall clock, ms: the network drops what would arrive later (the in-flight bound). */
  readonly expiresAt?: number;
}

export interface ProviderReply {
  /** An HTTP status. */
  readonly status: number;
  readonly body: ReplyBody;
  /** The stored reply to an earlier request with this key. */
  readonly replayed?: boolean;
  readonly retryAfterMs?: number;
}

export type ReplyBody = AcceptedBody | RefusedBody;

export interface AcceptedBody {
  readonly ok: true;
  /** The provider's own id of the effect. */
  readonly id: string;
  readonly result: JsonValue;
}

export interface RefusedBody {
  readonly ok: false;
  readonly error: string;
  readonly code?: string;
  /** No request with this key has ever had an effect here. */
  readonly neverHadEffect?: true;
  /** `already_exists`: the id and the reference of what exists. */
  readonly id?: string;
  readonly reference?: string;
}

export interface LookupQuery {
  readonly tenant: string;
  readonly tool: string;
  readonly key: string;
}

export type LookupReply =
  | {
      readonly found: true;
      readonly id: string;
      readonly result: JsonValue;
      /** Whose effect it is, if the provider says. */
      readonly key?: string;
    }
  | { readonly found: false };

/** What a tool can reach: the provider itself, or a connection to one in another process. */
export interface ProviderPort {
  /** @throws ConnectionLost when the reply is not coming; the effect may have happened. */
  send(request: ProviderRequest, signal?: AbortSignal): Promise<ProviderReply>;
  /** @throws ConnectionLost when the provider cannot say. */
  lookUp(query: LookupQuery, signal?: AbortSignal): Promise<LookupReply>;
}

/** The connection ended without a reply. */
export class ConnectionLost extends Error {
  readonly code = 'sandbox.connection-lost';

  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = 'ConnectionLost';
  }
}
