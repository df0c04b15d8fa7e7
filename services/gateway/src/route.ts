// What a route is: its place, what may be sent, what is answered, and the function between. The server,
// the table of permissions and the OpenAPI document all read this one list.
import { type ServerResponse } from 'node:http';
import { type ZodType } from 'zod';
import { type Runtime } from '@action-ledger/runtime';
import { type ToolSet } from '@action-ledger/tools';
import { type HttpAnswer } from './answers/http-answer.ts';
import { type Principal } from '@action-ledger/access';
import { type Feed } from './feed.ts';
import { type KeysDoor } from './keys-door.ts';
import { type LedgerDoor } from './ledger-door.ts';
import { type HeaderName } from './openapi/headers.ts';
import { type LetOut } from './let-out.ts';
import { type Limits } from './limits.ts';
import { type RouteName } from './permissions.ts';
import { type EventHub } from './stream/event-hub.ts';

/** What handlers work with. */
export interface Door {
  readonly ledger: LedgerDoor;
  readonly tools: ToolSet;
  readonly feed: Feed;
  readonly keys: KeysDoor | undefined;
  readonly runtime: Runtime;
  readonly limits: Limits;
  readonly events: EventHub;
  /** OpenAPI. */
  readonly document: object;
  readonly isClosing: () => boolean;
}

export interface Asked<Params, Query, Body> {
  readonly principal: Principal;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** All that were sent under the name, in order. */
  readonly headers: (name: string) => readonly string[];
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
  /** It only waits from now on, and takes no room of requests. False: no such place is free. */
  readonly waitsForWork: () => boolean;
  /** What let the principal in is revoked or runs out before the answer is over. */
  readonly letOut: LetOut;
}

/** A stream: the answer is written by its own function, and goes on. */
export interface TakenOver {
  /** Asked in the same tick, so that a bound holds however many come at once. */
  readonly refused: () => HttpAnswer | undefined;
  readonly takeOver: (raw: ServerResponse) => void;
}

export interface SuccessDoc {
  readonly description: string;
  /** Default: JSON. */
  readonly mediaTypes?: readonly string[];
  readonly schema: ZodType;
  readonly headers?: readonly HeaderName[];
  readonly example?: unknown;
}

export interface RouteShape {
  readonly name: RouteName;
  readonly method: 'GET' | 'POST';
  /** As in OpenAPI: `/v1/actions/{id}`. */
  readonly path: string;
  readonly tag: 'actions' | 'people' | 'callers' | 'workflows' | 'reading' | 'schemas' | 'gateway';
  readonly summary: string;
  readonly description?: string;
  readonly headers?: ZodType;
  readonly requestExample?: unknown;
  readonly answers: Readonly<Record<number, SuccessDoc>>;
  /** Statuses of problems, beside those that any such request can get. */
  readonly problems?: readonly number[];
  /** By status, beside those that such a problem always can have. */
  readonly problemHeaders?: Readonly<Partial<Record<number, readonly HeaderName[]>>>;
}

export interface Forms<Params, Query, Body> {
  readonly params?: ZodType<Params>;
  readonly query?: ZodType<Query>;
  readonly body?: ZodType<Body>;
}

/** What the document is made of. */
export type Described = RouteShape & Forms<unknown, unknown, unknown>;

export interface Route extends RouteShape, Forms<unknown, unknown, unknown> {
  readonly handle: (
    door: Door,
    asked: Asked<unknown, unknown, unknown>,
  ) => Promise<HttpAnswer | TakenOver>;
}

export function route<Params = undefined, Query = undefined, Body = undefined>(
  spec: RouteShape &
    Forms<Params, Query, Body> & {
      readonly handle: (
        door: Door,
        asked: Asked<Params, Query, Body>,
      ) => Promise<HttpAnswer | TakenOver>;
    },
): Route {
  // The server hands over what these very forms have made.
  return spec as unknown as Route;
}
