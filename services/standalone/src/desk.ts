// The door of the machine: what people ask of the process that has the file, over its socket, or of a
// ledger that is opened for the question alone. The HTTP API answers, without a port, and whoever asks is
// the owner: keys are made here, and pauses reach every tenant.
import { z } from 'zod';
import { type KeyRing } from '@action-ledger/access';
import { type Ledger } from '@action-ledger/client';
import { type JsonValue } from '@action-ledger/domain';
import { createGateway, type Feed, type Gateway, type Logger } from '@action-ledger/gateway';
import { type Runtime } from '@action-ledger/runtime';
import { type ToolSet } from '@action-ledger/tools';
import { localAccess, localCredentials } from './local-access.ts';

const request = z.strictObject({
  /** Under which name, and for which tenant. */
  as: z.strictObject({ name: z.string().min(1), tenant: z.string().min(1) }),
  method: z.enum(['GET', 'POST']),
  path: z.string().startsWith('/'),
  body: z.unknown().optional(),
  headers: z.strictObject({ prefer: z.string().optional() }).optional(),
});

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
      return throughApi(gateway, parsed.data);
    },
    close: () => gateway.stop(),
  };
}

async function throughApi(
  { app }: Gateway,
  { as: caller, method, path, body, headers = {} }: DeskRequest,
): Promise<DeskAnswer> {
  const sent = body === undefined ? {} : { payload: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const { prefer } = headers;
  const response = await app.inject({
    method,
    url: path,
    headers: {
      authorization: localCredentials(caller),
      ...type,
      ...(prefer === undefined ? {} : { prefer }),
    },
    ...sent,
  });
  return { status: response.statusCode, body: response.json() };
}
