// A tool declared as data: which request carries out the action, how its answers are to be read, and how
// its effect is found again. `httpTool` checks it; a tool file holds the same as JSON.
import { type FieldPath, type JsonValue } from '@action-ledger/domain';
import { type ToolDefinition } from '../definition.ts';
import { type JsonPointer } from './json-pointer.ts';

/** One status, a class such as `4xx`, or several of these. */
export type StatusSet = Status | readonly Status[];
export type Status = number | `${1 | 2 | 3 | 4 | 5}xx`;

/**
 * Pointers into a JSON body with what must stand there: a value, a text template (`{$key}`,
 * `{order_id}`), or `{ $present: true | false }`. All must hold; a body that is not JSON holds none.
 */
export type BodyTest = Readonly<Record<JsonPointer, JsonValue>>;

/** Resolved at each send and never stored. A template may use arguments and `{$key}`. */
export type HeaderValue = string | (() => HeaderSecret | Promise<HeaderSecret>);

/** The whole value of a header; `secret`: the part of it that is one, where the value says more. */
export type HeaderSecret = string | { readonly value: string; readonly secret: string };

export interface HttpRequestTemplate {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Scheme and host are fixed; path members may be placeholders, which are percent-encoded. */
  readonly url: string;
  /** A parameter without a value is left out; an array gives one parameter per element. */
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, HeaderValue>>;
  /**
   * `arguments`: those that url and query do not use (the default of POST, PUT, PATCH); `none`; or a
   * JSON template.
   */
  readonly body?: 'arguments' | 'none' | { readonly [member: string]: JsonValue };
  /** Default `json`; `form`: members as `a[b]=…`. */
  readonly encoding?: 'json' | 'form';
}

/** Where the provider takes the downstream key. */
export type KeyPlace = { readonly in: 'header' | 'query' | 'body'; readonly name: string } | 'none';

/**
 * `refused`: a definite no, without effect. `refused before handling`: the same, to be tried again later
 * (after `Retry-After`). Statuses from 500 can be neither; only 503 can be refused before handling.
 */
export type AnswerOutcome = 'succeeded' | 'refused' | 'refused before handling' | 'in doubt';

export interface AnswerRule {
  /** Default `2xx`. */
  readonly status?: StatusSet;
  readonly body?: BodyTest;
  readonly outcome: AnswerOutcome;
  readonly reason?: JsonPointer;
  readonly code?: JsonPointer;
  readonly externalId?: JsonPointer;
}

/**
 * The first rule that holds decides. Then: success by `success`; a 4xx is refused, except 408, 409, 425,
 * 429 and 499, which are in doubt like everything else: 5xx, redirects, a body that cannot be read.
 */
export interface AnswerRules {
  readonly rules?: readonly AnswerRule[];
  readonly success?: {
    /** Default `2xx`. */
    readonly status?: StatusSet;
    /** Without it the status is enough. */
    readonly body?: BodyTest;
    readonly externalId?: JsonPointer;
    /** What of the body is the result. Default: all of it. */
    readonly result?: JsonPointer;
  };
  /** How bodies are read. Default `json`; an empty body is null. */
  readonly format?: 'json' | 'text';
}

export interface HttpLookup extends HttpRequestTemplate {
  readonly method: 'GET' | 'POST';
  readonly found?: {
    /** Default `2xx`. */
    readonly status?: StatusSet;
    /** The body lists candidates here; without it the body is the one candidate. */
    readonly items?: JsonPointer;
    /** What makes a candidate ours. One that does not match is another action's effect. */
    readonly match?: BodyTest;
    readonly externalId?: JsonPointer;
    readonly result?: JsonPointer;
  };
  readonly absent?: {
    readonly status?: StatusSet;
    readonly body?: BodyTest;
    /** A list without a match proves absence only where it is whole: always, or where this holds. */
    readonly complete?: true | BodyTest;
  };
}

export interface HttpToolDefinition<Args = never> extends Omit<
  ToolDefinition<Args>,
  'execute' | 'lookup' | 'compensate'
> {
  readonly request: HttpRequestTemplate;
  /** Default: the header `Idempotency-Key` for writes. */
  readonly keyPlace?: KeyPlace;
  readonly answers?: AnswerRules;
  /** Its placeholders also know `{$firstDispatchedAt}` (ISO 8601) and `{$externalId}` (from evidence). */
  readonly lookup?: HttpLookup;
  /** Templates may use `{arguments.x}`, `{result.x}` and `{externalId}`. */
  readonly compensate?: {
    readonly tool: string;
    readonly arguments: Readonly<Record<FieldPath, JsonValue>>;
  };
  /** Allow loopback, private and link-local addresses. Default false. */
  readonly allowPrivate?: boolean;
  /** Default 1 MiB; a larger answer cannot be read. */
  readonly responseBytesMax?: number;
  /** Connections at once; further requests wait, unsent, for one. Default 256. */
  readonly socketsMax?: number;
}
