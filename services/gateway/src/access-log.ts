// Told of each request that was answered: for an access log and for metrics. Who, what and how it ended;
// never a body, a header or a query, and of the path its pattern alone.
import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { type Ids } from '@action-ledger/runtime';

export interface Answered {
  /** Also in the header `x-request-id` of the answer. */
  readonly requestId: string;
  readonly method: string;
  /** The pattern: `/v1/actions/:id`; `none` where there is no such route. */
  readonly route: string;
  readonly status: number;
  /** From the first byte of the request to the last of the answer. */
  readonly ms: number;
  /** Who asked, where that is known. */
  readonly principal?: string;
  readonly tenant?: string;
  /** The action that it was about. */
  readonly action?: string;
}

export type OnAnswered = (answered: Answered) => void;

declare module 'fastify' {
  interface FastifyRequest {
    /** What the answer names. */
    actionId?: string;
    requestId?: string;
  }
}

const methods: ReadonlySet<string> = new Set([
  'GET',
  'POST',
  'HEAD',
  'PUT',
  'DELETE',
  'OPTIONS',
  'PATCH',
]);

export function tellAnswered(app: FastifyInstance, ids: Ids, onAnswered: OnAnswered): void {
  app.addHook('onRequest', (request, reply, done) => {
    request.requestId = ids.next();
    reply.header('x-request-id', request.requestId);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    onAnswered({
      requestId: request.requestId ?? '',
      method: methods.has(request.method) ? request.method : 'other',
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ...whoAsked(request),
      ...whatAbout(request),
    });
    done();
  });
}

/** Nobody is known where it was refused at the first door, or the route is open. */
function whoAsked(request: Partial<FastifyRequest>): Pick<Answered, 'principal' | 'tenant'> {
  const { name = '', tenant = '' } = request.principal ?? {};
  return name === '' ? {} : { principal: name, tenant };
}

function whatAbout({ actionId, params }: FastifyRequest): Pick<Answered, 'action'> {
  const { id = '' } = (params ?? {}) as { readonly id?: string };
  const action = actionId ?? (idForm.test(id) ? id : undefined);
  return action === undefined ? {} : { action };
}

/** What else stands in its place is a caller's text. */
const idForm = /^[A-Za-z0-9_-]{43}\.\d{1,9}$/;
