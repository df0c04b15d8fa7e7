// A ledger in memory with virtual time, tools that are told what happens to them, a gateway over it, and
// one principal per role and tenant. Requests go in without sockets unless a test opens one.
import { hash } from 'node:crypto';
import { z } from 'zod';
import { type Ledger, openLedger, rebuildIndex } from '@action-ledger/application';
import { createMemoryEventStore, type EventStore } from '@action-ledger/event-store';
import { type Access, createKeyRing, type KeyRing, type Role, roles } from '@action-ledger/access';
import {
  createGateway,
  type Gateway,
  type GatewayDeps,
  type Limits,
  type Logger,
} from '@action-ledger/gateway';
import { createMemoryActionIndex } from '@action-ledger/read-models';
import { createVirtualRuntime, type VirtualRuntime } from '@action-ledger/testkit';
import {
  createToolSet,
  defineTool,
  inDoubt,
  type Policy,
  refused,
  succeeded,
  type Tool,
} from '@action-ledger/tools';

export const tenants = ['acme', 'umbrella'] as const;
export type Tenant = (typeof tenants)[number];

/**
 * `acme:operator`; more than one role: `acme:proposer+operator`; another name: `acme:approver:ann`; the owner of
 * the machine: `acme:owner`.
 */
export const keyed: Access = {
  authenticate: async ({ apiKey, authorization }) => {
    const proof = apiKey ?? /^Bearer (.*)$/.exec(authorization ?? '')?.[1];
    const [tenant = '', named = '', name] = (proof ?? '').split(':');
    if (!tenants.some((each) => each === tenant)) return undefined;
    const held = named.split('+').filter((role): role is Role => roles.some((r) => r === role));
    const isOwner = named.split('+').includes('owner') ? { isOwner: true as const } : {};
    return { name: name ?? `${tenant}-${named}`, tenant, roles: new Set(held), ...isOwner };
  },
};

export interface World {
  readonly ledger: Ledger;
  readonly keys: KeyRing;
  /** As another process has them. */
  readonly otherKeys: () => KeyRing;
  readonly store: EventStore;
  readonly gateway: Gateway;
  readonly time: VirtualRuntime;
  readonly log: readonly (readonly [level: string, facts: object, message: string])[];
  /** How often each tool was carried out. */
  readonly effects: () => number;
  /** The next sends of `pay` end so; then they succeed again. */
  readonly nextSends: (...ends: readonly ('doubt' | 'refused' | 'hang')[]) => void;
  readonly pause: (isPaused: boolean) => void;
  /** Lets time pass until the answer is there. */
  readonly ask: (request: Ask) => Promise<Said>;
  readonly close: () => Promise<void>;
}

export interface Ask {
  readonly method?: 'GET' | 'POST';
  readonly url: string;
  /** A key as above; default: all roles of acme. `null`: none. */
  readonly as?: string | null;
  /** An object is sent as JSON, a text as it is. */
  readonly body?: object | string | Buffer;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

export interface Json {
  readonly [member: string]: unknown;
  readonly actionId?: string;
  readonly code?: string;
  readonly word?: string;
  readonly state?: string;
  readonly detail?: string;
  readonly messageForModel?: string;
  readonly revision?: number;
  readonly argumentsHash?: string;
  readonly next?: string;
}

export interface Said {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Parsed, as far as a test looks into it; empty where it is no JSON. */
  readonly json: Json;
}

export const everyRole = `acme:${roles.join('+')}`;

export interface WorldOptions {
  readonly limits?: Partial<Limits>;
  readonly access?: Access;
  readonly store?: EventStore;
  readonly tools?: readonly Tool[];
  readonly deps?: Partial<GatewayDeps>;
  readonly open?: Partial<Parameters<typeof openLedger>[0]>;
}

export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const time = createVirtualRuntime();
  const store = options.store ?? createMemoryEventStore();
  const sends: ('doubt' | 'refused' | 'hang')[] = [];
  let effects = 0;
  let isPaused = false;
  const tools = createToolSet([
    ...worldTools(() => {
      const end = sends.shift();
      if (end === undefined) effects += 1;
      return end;
    }),
    ...(options.tools ?? []),
  ]);
  const index = createMemoryActionIndex();
  await rebuildIndex(store, tools, index);
  const ledger = await openLedger({
    store,
    runtime: time,
    sha256: (text) => hash('sha256', text, 'base64url'),
    tools,
    index,
    digestSecret: (_path, text) => hash('sha256', `digest ${text}`, 'base64url'),
    isPaused: () => isPaused,
    ...options.open,
  });
  const log: [string, object, string][] = [];
  const logger = loggerInto(log);
  const openKeys = (): KeyRing =>
    createKeyRing({
      store,
      sha256: (text) => hash('sha256', text, 'base64url'),
      clock: { nowMs: () => time.clock.wallMs() },
      runtime: time,
    });
  const keys = openKeys();
  const gateway = createGateway({
    ledger,
    keys,
    tools,
    feed: store,
    runtime: time,
    access: options.access ?? keyed,
    logger,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...options.deps,
  });
  await gateway.app.ready();
  return {
    ledger,
    keys,
    otherKeys: openKeys,
    store,
    gateway,
    time,
    log,
    effects: () => effects,
    nextSends: (...ends) => void sends.push(...ends),
    pause: (paused) => {
      isPaused = paused;
    },
    ask: (request) => ask(gateway, time, request),
    close: async () => {
      await passing(time, gateway.stop());
      await passing(time, ledger.close({ drainMs: 0 }));
    },
  };
}

function loggerInto(log: [string, object, string][]): Logger {
  const at =
    (level: string) =>
    (facts: object, message: string): void =>
      void log.push([level, facts, message]);
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

function worldTools(next: () => 'doubt' | 'refused' | 'hang' | undefined): readonly Tool[] {
  const pay = {
    input: z.object({ invoice: z.string(), cents: z.number().int(), note: z.string().optional() }),
    guarantee: 'manual' as const,
    identity: ['invoice'],
    free: ['note'],
  };
  const execute: Parameters<typeof defineTool>[0]['execute'] = async ({ beforeSend, signal }) => {
    beforeSend();
    const end = next();
    if (end === 'doubt') return inDoubt('the connection was lost');
    if (end === 'refused') return refused('no money', { code: 'bank.no-money' });
    if (end === 'hang')
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
    return succeeded({ paid: true }, { externalId: 'tx-1' });
  };
  const decide = ({ cents }: { cents: number }): Policy =>
    cents > 1_000 ? { effect: 'deny', reason: 'too much' } : { effect: 'allow' };
  return [
    defineTool({ ...pay, name: 'pay', description: 'Pays an invoice.', execute }),
    defineTool({ ...pay, name: 'approved', approval: { votes: 2 }, execute }),
    defineTool({ ...pay, name: 'capped', policy: { version: '1', decide }, execute }),
    defineTool({
      name: 'secret',
      input: z.object({ invoice: z.string(), pin: z.string() }),
      guarantee: 'manual',
      secret: ['pin'],
      execute,
    }),
    defineTool({
      name: 'balance',
      kind: 'read',
      input: z.object({ account: z.string() }),
      execute: ({ arguments: { account } }) => {
        if (account === 'gone') throw new Error('no such account');
        return { cents: 7 };
      },
    }),
  ] as readonly Tool[];
}

/** Of virtual time, beyond what any answer of these tests is held. */
const answerMsMax = 120_000;

async function ask(gateway: Gateway, time: VirtualRuntime, request: Ask): Promise<Said> {
  const { method = request.body === undefined ? 'GET' : 'POST', url, as = everyRole } = request;
  const { body } = request;
  const payload =
    body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
      ? body
      : JSON.stringify(body);
  const answer = gateway.app.inject({
    method,
    url,
    headers: {
      ...(as === null ? {} : { 'x-api-key': as }),
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...request.headers,
    },
    ...(payload === undefined ? {} : { payload }),
  });
  const { statusCode: status, headers, body: text } = await passing(time, answer);
  return { status, headers, text, json: jsonOf(text) };
}

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}

export async function passing<Result>(
  time: VirtualRuntime,
  work: PromiseLike<Result>,
): Promise<Result> {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  const done = Promise.resolve(work);
  done.then(over, over);
  await time.settle();
  for (let waited = 0; waited < answerMsMax && !isNow(); waited += 250) await time.advance(250);
  if (!isNow()) throw new Error(`nothing came within ${answerMsMax} ms of virtual time`);
  return done;
  function isNow(): boolean {
    return isOver;
  }
}

/** Opens a world for the test and closes it after. */
export async function inWorld(
  options: WorldOptions,
  test: (world: World) => Promise<void>,
): Promise<void> {
  const world = await openWorld(options);
  try {
    await test(world);
  } finally {
    await world.close();
  }
}

export const payment = (invoice: string, cents = 500): object => ({
  tool: 'pay',
  arguments: { invoice, cents },
  run: 'run-1',
  call: `call-${invoice}`,
});
