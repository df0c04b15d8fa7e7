// The HTTP server: every request passes the same doors in the same order (is it open, who asks, may
// they, is the body whole, does it fit) before a route's own function sees it.
import { type ServerResponse } from 'node:http';
import { type Duplex } from 'node:stream';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { answerFault, answerSocketFault } from './answer-fault.ts';
import { type HttpAnswer, problem, problemMediaType, Refused } from './answers/http-answer.ts';
import { admit } from './admit.ts';
import { checkForm, type Checked } from './check-form.ts';
import { type LetOut, whenLetOut } from './let-out.ts';
import { type Limits } from './limits.ts';
import { type Logger } from './logger.ts';
import { type Asked, type Described, type Route, type TakenOver } from './route.ts';
import { type ServerDeps } from './server-deps.ts';
import { readBody } from './strict-json.ts';
import { unknownAt } from './unknown-at.ts';
import { whenOver } from './when-over.ts';

export function createServer(limits: Limits, logger: Logger): FastifyInstance {
  const answering = new WeakMap<Duplex, ServerResponse>();
  const app = fastify({
    bodyLimit: limits.bodyBytesMax,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionTimeout: limits.idleMs,
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: false },
    exposeHeadRoutes: false,
    // The gateway refuses by itself while it closes, with a problem document.
    return503OnClosing: false,
    http: {
      // Refused below: Node's own answer has no body.
      requireHostHeader: false,
      maxHeaderSize: limits.headerBytesMax,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
    },
    clientErrorHandler: (error, socket) => {
      answerSocketFault(error, socket, answering);
    },
    frameworkErrors: (_error, _request, reply) => {
      send(reply, problem('request.malformed'));
    },
  });
  app.server.maxConnections = limits.connectionsMax;
  // An expectation that is not known may be ignored (RFC 9110, 10.1.1); Node's own answer has no body.
  app.server.on('checkExpectation', (request, response) => {
    app.server.emit('request', request, response);
  });
  app.server.on('request', ({ socket }, response) => {
    answering.set(socket, response);
  });
  // Hooks that wait for nothing are called back: a promise for each is felt.
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    // RFC 9112, 3.2.
    const isMalformed = raw.httpVersion === '1.1' && raw.headers.host === undefined;
    done(isMalformed ? new Refused(problem('request.malformed')) : undefined);
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: FastifyRequest, bytes: Buffer, done) => {
      const read = readBody(bytes, request.headers, limits);
      if (read.kind === 'parsed') done(null, read.value);
      else done(new Refused(read.answer));
    },
  );
  app.setErrorHandler((error, request, reply) => {
    send(reply, answerFault(error, request, logger));
  });
  app.setNotFoundHandler((_request, reply) => {
    send(reply, problem('route.unknown'));
  });
  return app;
}

/** To be called when all routes are there. */
export function refuseOtherMethods(app: FastifyInstance, specs: readonly Described[]): void {
  for (const url of new Set(specs.map(urlOf))) {
    const own = specs.filter((spec) => urlOf(spec) === url).map(({ method }) => method);
    const others = app.supportedMethods.filter((method) => !own.some((each) => each === method));
    app.route({
      method: others,
      url,
      onRequest: async () => {
        const headers = { allow: own.join(', ') };
        throw new Refused(problem('request.method', { headers }));
      },
      handler: async () => undefined,
    });
  }
}

/** As the router spells it. */
function urlOf({ path }: Described): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

export function addRoute(app: FastifyInstance, deps: ServerDeps, spec: Route): void {
  app.route({
    method: spec.method,
    url: urlOf(spec),
    onRequest: admit(deps, spec.name),
    handler: async (request, reply) => {
      const answer = await answerTo(deps, spec, request, reply);
      const refused = 'takeOver' in answer ? answer.refused() : undefined;
      if (refused !== undefined) send(reply, refused);
      else if ('takeOver' in answer) {
        request.leave();
        for (const [name, value] of Object.entries(reply.getHeaders()))
          if (value !== undefined) reply.raw.setHeader(name, value);
        reply.hijack();
        answer.takeOver(reply.raw);
      } else {
        noteAction(request, answer);
        send(reply, answer);
      }
      return reply;
    },
  });
}

/** For the access log. */
function noteAction(request: FastifyRequest, { body }: HttpAnswer): void {
  const { actionId } = body as { readonly actionId?: unknown };
  if (typeof actionId === 'string') request.actionId = actionId;
}

async function answerTo(
  deps: ServerDeps,
  spec: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<HttpAnswer | TakenOver> {
  const asked = askedBy(deps, spec, request, reply);
  return 'status' in asked ? asked : spec.handle(deps.door, asked);
}

type AnyAsked = Asked<unknown, unknown, unknown>;

const nothing = { kind: 'fits', value: undefined } as const;

function askedBy(
  deps: ServerDeps,
  spec: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): AnyAsked | HttpAnswer {
  const params = spec.params?.safeParse(request.params);
  if (params?.success === false)
    return problem(unknownAt(spec.path, params.error.issues[0]?.path[0]));
  const query = queryOf(spec, request);
  if (query.kind === 'misfit') return query.answer;
  const body = spec.body ? checkForm(spec.body, request.body ?? {}, 'body') : nothing;
  if (body.kind === 'misfit') return body.answer;
  return {
    principal: request.principal,
    params: params?.data,
    query: query.value,
    body: body.value,
    headers: (name) => headersNamed(request, name),
    // Made for those who ask for it.
    get signal() {
      return signalOf(reply);
    },
    waitsForWork: () => {
      const leave = deps.polls.enter(request.principal);
      if (leave === undefined) return false;
      whenOver(reply.raw, leave);
      request.leave();
      return true;
    },
    get letOut() {
      return letOutOf(deps, request, reply);
    },
  };
}

function queryOf(spec: Route, request: FastifyRequest): Checked<unknown> {
  const query = { ...(request.query as object) };
  if (spec.query !== undefined) return checkForm(spec.query, query, 'query');
  const [name] = Object.keys(query);
  if (name === undefined) return nothing;
  const detail = `This address takes no query; remove "${name.toWellFormed()}".`;
  return { kind: 'misfit', answer: problem('request.invalid', { detail }) };
}

const noHeaders: readonly string[] = [];

/** From the raw list: Node joins equal names with a comma, which is another text. */
function headersNamed({ headers, raw }: FastifyRequest, name: string): readonly string[] {
  if (headers[name] === undefined) return noHeaders;
  const found: string[] = [];
  for (let at = 0; at + 1 < raw.rawHeaders.length; at += 2)
    if (raw.rawHeaders[at]?.toLowerCase() === name) found.push(raw.rawHeaders[at + 1] ?? '');
  return found;
}

/** Aborted where the client goes before it was answered. */
function signalOf({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  whenOver(raw, () => {
    if (!raw.writableFinished) gone.abort();
  });
  return gone.signal;
}

function letOutOf(
  { access, door: { runtime } }: ServerDeps,
  { principal }: FastifyRequest,
  { raw }: FastifyReply,
): LetOut {
  const out = new AbortController();
  const release = whenLetOut({ access, runtime }, principal, () => {
    out.abort();
  });
  whenOver(raw, release);
  const { signal } = out;
  return {
    signal,
    isOut: () => signal.aborted,
    onOut: (act) => {
      signal.addEventListener('abort', act);
    },
  };
}

export function send(
  reply: FastifyReply,
  { status, body, mediaType, headers = {} }: HttpAnswer,
): void {
  const own = mediaType ?? (status >= 400 ? problemMediaType : undefined);
  const text = JSON.stringify(body);
  void reply
    .code(status)
    .headers(headers)
    .header('cache-control', 'no-store')
    .header('content-type', own ?? 'application/json; charset=utf-8')
    // As bytes: to a text the server would add a charset, which problem documents do not have. A text
    // goes out in one write with its headers.
    .send(own === undefined ? text : Buffer.from(text));
}
