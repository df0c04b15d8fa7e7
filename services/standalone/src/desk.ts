// The door of the machine: what people ask of the process that has the file, over its socket, or of a
// ledger that is opened for the question alone. The HTTP API answers, without a port; beside it what
// belongs to the whole file: keys and pauses.
import { z } from 'zod';
import { type KeyRecord, type KeyRing, roles } from '@action-ledger/access';
import { type Ledger, type Pause } from '@action-ledger/client';
import { type JsonValue, type Refusal } from '@action-ledger/domain';
import { createGateway, type Feed, type Gateway, type Logger } from '@action-ledger/gateway';
import { type Runtime } from '@action-ledger/runtime';
import { type ToolSet } from '@action-ledger/tools';
import { localAccess, localCredentials } from './local-access.ts';

const as = z.strictObject({ name: z.string().min(1), tenant: z.string().min(1) });
const scope = { tenant: z.string().optional(), tool: z.string().optional() };

const request = z.discriminatedUnion('ask', [
  z.strictObject({
    ask: z.literal('api'),
    as,
    method: z.enum(['GET', 'POST']),
    path: z.string().startsWith('/'),
    body: z.unknown().optional(),
  }),
  z.strictObject({ ask: z.literal('pauses'), as }),
  z.strictObject({ ask: z.literal('pause'), as, ...scope, reason: z.string() }),
  z.strictObject({ ask: z.literal('resume'), as, ...scope, reason: z.string() }),
  z.strictObject({ ask: z.literal('keys'), as }),
  z.strictObject({
    ask: z.literal('key'),
    as,
    name: z.string(),
    tenant: z.string(),
    roles: z.array(z.enum(roles)).readonly(),
    expiresAt: z.int().optional(),
  }),
  z.strictObject({ ask: z.literal('revoke'), as, id: z.string(), reason: z.string() }),
]);

export type DeskRequest = z.infer<typeof request>;

export interface DeskAnswer {
  /** As over HTTP. */
  readonly status: number;
  readonly body: JsonValue;
}

export interface Desk {
  answer(asked: unknown): Promise<DeskAnswer>;
  close(): Promise<void>;
}

export interface DeskDeps {
  readonly ledger: Ledger;
  readonly tools: ToolSet;
  readonly keys: KeyRing;
  readonly feed: Feed;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

export function createDesk(deps: DeskDeps): Desk {
  const gateway = createGateway({ ...deps, access: localAccess });
  return {
    answer: async (asked) => {
      const parsed = request.safeParse(asked);
      if (!parsed.success)
        return { status: 400, body: { code: 'desk.malformed', detail: parsed.error.message } };
      return answerTo(deps, gateway, parsed.data);
    },
    close: () => gateway.stop(),
  };
}

async function answerTo(
  { ledger, keys }: DeskDeps,
  gateway: Gateway,
  asked: DeskRequest,
): Promise<DeskAnswer> {
  const by = asked.as.name;
  switch (asked.ask) {
    case 'api':
      return throughApi(gateway, asked);
    case 'pauses':
      return { status: 200, body: { pauses: ledger.pauses().map(pauseView) } };
    case 'pause':
      return paused(await ledger.pause({ ...scopeOf(asked), by, reason: asked.reason }));
    case 'resume':
      return paused(await ledger.resume({ ...scopeOf(asked), by, reason: asked.reason }));
    case 'keys':
      return { status: 200, body: { keys: (await keys.list()).map(withoutHash) } };
    case 'key': {
      const { name, tenant, roles: wanted, expiresAt } = asked;
      const expiry = expiresAt === undefined ? {} : { expiresAt };
      const created = await keys.create({ name, tenant, roles: wanted, by, ...expiry });
      if (created.kind === 'refusal') return refused(created);
      return { status: 201, body: { text: created.text, key: withoutHash(created.key) } };
    }
    case 'revoke': {
      const revoked = await keys.revoke({ id: asked.id, by, reason: asked.reason });
      if (revoked.kind === 'refusal') return refused(revoked);
      return { status: 200, body: { key: withoutHash(revoked.key) } };
    }
  }
}

async function throughApi(
  { app }: Gateway,
  { as: caller, method, path, body }: Extract<DeskRequest, { ask: 'api' }>,
): Promise<DeskAnswer> {
  const sent = body === undefined ? {} : { payload: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await app.inject({
    method,
    url: path,
    headers: { authorization: localCredentials(caller), ...type },
    ...sent,
  });
  return { status: response.statusCode, body: response.json() };
}

function paused(answer: Pause | Refusal): DeskAnswer {
  return 'kind' in answer ? refused(answer) : { status: 200, body: { pause: pauseView(answer) } };
}

function refused({ code, message }: Refusal): DeskAnswer {
  return { status: 409, body: { code, detail: message } };
}

function scopeOf({ tenant, tool }: { tenant?: string | undefined; tool?: string | undefined }): {
  readonly tenant?: string;
  readonly tool?: string;
} {
  return {
    ...(tenant === undefined ? {} : { tenant }),
    ...(tool === undefined ? {} : { tool }),
  };
}

function pauseView(pause: Pause): JsonValue {
  return { ...pause };
}

function withoutHash(key: KeyRecord): JsonValue {
  const { hash: _hash, ...shown } = key;
  return shown;
}
