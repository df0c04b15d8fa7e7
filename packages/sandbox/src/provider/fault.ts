// Ways a request to the sandbox provider can go wrong. Parts can be combined: `{ ...slow(900),
// echoAfterMs: [50] }` is a slow reply overtaken by its own webhook.

export interface Fault {
  /** The request never reaches the provider. */
  readonly requestLost?: boolean;
  /** The network holds the request so long; its sender may be dead when it lands. */
  readonly arriveAfterMs?: number;
  /** The provider works so long before the effect. */
  readonly workMs?: number;
  /** Instead of the answer: nothing happens, and the reply is this. */
  readonly instead?: PlainReply;
  /** The effect happens, and the reply is this. With `stored`, also to every repeat of the key. */
  readonly reply?: PlainReply & { readonly stored?: boolean };
  /** Between the effect and its reply. */
  readonly replyAfterMs?: number;
  /** `dropped`: the connection breaks instead of a reply. `silent`: it stays open, and none comes. */
  readonly connection?: 'dropped' | 'silent';
  /** The provider also reports the effect itself: one webhook per entry, so long after the effect. */
  readonly echoAfterMs?: readonly number[];
}

export interface PlainReply {
  readonly status: number;
  readonly error: string;
  readonly retryAfterMs?: number;
}

/** Committed, and the reply is lost. */
export const ackLost: Fault = { connection: 'dropped' };

/** Never arrived; the sender sees a broken connection. */
export const reqLost: Fault = { requestLost: true, connection: 'dropped' };

/** No reply within any deadline. */
export function timeout(how: { readonly commits: boolean }): Fault {
  return { connection: 'silent', ...(how.commits ? {} : { requestLost: true }) };
}

/** Lands after its sender has died: the connection breaks at once. */
export function lateArrival(afterMs: number): Fault {
  return { arriveAfterMs: afterMs, connection: 'dropped' };
}

/** The effect and its reply come after so long. */
export function slow(workMs: number): Fault {
  return { workMs };
}

export function errorAfterCommit(status: 500 | 502 | 503 | 504 = 500): Fault {
  return { reply: { status, error: 'something went wrong' } };
}

/** Committed, answered with a 500, and every repeat of the key gets that 500 again. */
export const storedError: Fault = {
  reply: { status: 500, error: 'something went wrong', stored: true },
};

/** A 200 whose body says that nothing was done. */
export function errorBody(error: string): Fault {
  return { instead: { status: 200, error } };
}

export function tooManyRequests(retryAfterMs: number): Fault {
  return { instead: { status: 429, error: 'too many requests', retryAfterMs } };
}

/** Refused for good by the provider, whatever it would have answered. */
export function declined(error: string): Fault {
  return { instead: { status: 422, error } };
}

/** Ways a lookup can go wrong. */
export interface LookupFault {
  /** The provider cannot say. */
  readonly outage?: boolean;
  /** It answers after so long, with what it saw when asked. */
  readonly afterMs?: number;
  /** It finds the effect of another key, where there is one, and does not say whose it is. */
  readonly wrongOwner?: boolean;
}
