// The gateway: the HTTP API over a ledger. It starts listening, answers, and stops by answering what is
// under way while it refuses what is new.
import { type FastifyInstance } from 'fastify';
import { type Access, isLoopback } from '@action-ledger/access';
import { type Runtime, type Timer } from '@action-ledger/runtime';
import { type ToolSet } from '@action-ledger/tools';
import { type OnAnswered, tellAnswered } from './access-log.ts';
import { type Feed } from './feed.ts';
import { type KeysDoor } from './keys-door.ts';
import { type LedgerDoor } from './ledger-door.ts';
import { defaultLimits, type Limits } from './limits.ts';
import { type Logger } from './logger.ts';
import { addDocsPage } from './openapi/docs-page.ts';
import { openApiDocument } from './openapi/openapi-document.ts';
import { type Door } from './route.ts';
import { described, routes } from './routes/index.ts';
import { createRate } from './rate.ts';
import { type ServerDeps } from './server-deps.ts';
import { addRoute, createServer, refuseOtherMethods } from './server.ts';
import { createEventHub, type EventHub } from './stream/event-hub.ts';
import { createUnderWay, createUnderWayOfTenants } from './under-way.ts';
import { createWaitingPolls } from './waiting-polls.ts';

export interface GatewayDeps {
  readonly ledger: LedgerDoor;
  readonly tools: ToolSet;
  readonly access: Access;
  readonly feed: Feed;
  /** The keys on record, where there are any. */
  readonly keys?: KeysDoor;
  readonly runtime: Runtime;
  readonly logger: Logger;
  readonly limits?: Partial<Limits>;
  /** Told of each request: an access log, metrics. Default: nobody is. */
  readonly onAnswered?: OnAnswered;
  /** Default: a free port of 127.0.0.1. */
  readonly listen?: { readonly host?: string; readonly port?: number };
}

export interface Service {
  /** @throws where the address is taken, or is open to others though the access is open to all */
  start(): Promise<{ readonly url: string }>;
  /** Answers what is under way (at most `drainMs`), refuses what is new with 503. */
  stop(): Promise<void>;
}

export interface Gateway extends Service {
  /** For tests: requests without a socket. */
  readonly app: FastifyInstance;
  /** Open event streams. */
  readonly readers: () => number;
}

export function createGateway(deps: GatewayDeps): Gateway {
  const limits: Limits = { ...defaultLimits, ...deps.limits };
  const { ledger, tools, feed, runtime, access, logger } = deps;
  const underWay = createUnderWay();
  const polls = createWaitingPolls(limits);
  let isClosing = false;
  const events = hubOf(deps, limits);
  const document = openApiDocument(described);
  const door: Door = {
    ledger,
    tools,
    feed,
    keys: deps.keys,
    runtime,
    limits,
    events,
    document,
    isClosing: () => isClosing,
  };
  const app = createServer(limits, logger);
  const server: ServerDeps = {
    door,
    access,
    limits,
    logger,
    underWay,
    underWayOf: createUnderWayOfTenants(),
    polls,
    rate: createRate(runtime.clock, limits),
  };
  if (deps.onAnswered !== undefined) tellAnswered(app, runtime.ids, deps.onAnswered);
  addRoutes(app, server);
  app.addHook('onReady', events.start);
  return {
    app,
    readers: () => events.readers(),
    start: async () => {
      const { host = '127.0.0.1', port = 0 } = deps.listen ?? {};
      if (access.isOpen === true && !isLoopback(host))
        throw new Error(
          `open access is for this machine only: listen on 127.0.0.1, not on ${host}, or give an access that asks for proof`,
        );
      const url = await app.listen({ host, port });
      logger.info({ url }, 'the gateway listens');
      return { url };
    },
    stop: async () => {
      isClosing = true;
      events.stop();
      await withinMs(runtime, limits.drainMs, Promise.all([underWay.none(), polls.none()]));
      const closed = app.close();
      const cut = underWay.count() + polls.count();
      if (cut > 0) logger.warn({ cut }, 'requests were still under way');
      // Also those that clients have only just opened, ahead of a request: nobody else ends them.
      app.server.closeAllConnections();
      await closed;
      logger.info({}, 'the gateway has stopped');
    },
  };
}

function hubOf({ feed, ledger, runtime, logger }: GatewayDeps, limits: Limits): EventHub {
  return createEventHub({
    feed,
    ledger,
    runtime,
    limits,
    onFault: (where, fault) => {
      logger.warn({ fault }, where);
    },
  });
}

function addRoutes(app: FastifyInstance, server: ServerDeps): void {
  for (const spec of routes) addRoute(app, server, spec);
  addDocsPage(app);
  refuseOtherMethods(app, described);
}

async function withinMs(runtime: Runtime, ms: number, work: Promise<unknown>): Promise<void> {
  let timer: Timer | undefined;
  const late = new Promise<void>((resolve) => {
    timer = runtime.timers.after(ms, resolve, { keepsAlive: true });
  });
  await Promise.race([work, late]);
  timer?.cancel();
}
