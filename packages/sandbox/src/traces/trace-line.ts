// One recorded tool call, as a line of a trace file gives it. Checked once, here; what the format
// allows beyond these members is passed over.
import { type JsonObject } from '@action-ledger/domain';
import { z } from 'zod';

export interface TraceLine {
  /** One execution of an agent. */
  readonly run: string;
  /** The scenario; many runs share one. */
  readonly conversation: string;
  /** 0, 1, 2 … within the run, without gaps. */
  readonly seq: number;
  readonly domain: string;
  readonly tool: string;
  readonly kind: 'read' | 'write';
  readonly arguments: JsonObject;
  /** The text that was handed to the model, maybe cut; null: the model never saw one. */
  readonly result: string | null;
  /** The tool refused or failed. */
  readonly error: boolean;
  /** User messages so far. */
  readonly turn: number;
  /** Calls of one assistant message share it. */
  readonly batch?: number;
  /** The provider's tool-call id, unaltered. */
  readonly call?: string;
}

const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
);

const recorded = z.object({
  run_id: z.string().min(1),
  conversation_id: z.string().min(1).optional(),
  seq: z.int().min(0),
  domain: z.string().min(1),
  tool: z.string(),
  kind: z.enum(['read', 'write']),
  arguments: jsonObject,
  result: z.string().nullable(),
  error: z.boolean(),
  turn: z.int().min(0),
  batch: z.int().min(0).optional(),
  call_id: z.string().min(1).optional(),
});

/** @throws Error whose message names the member that is wrong. */
export function traceLineOf(value: unknown): TraceLine {
  const parsed = recorded.safeParse(value);
  if (!parsed.success) throw new Error(describe(parsed.error));
  const { run_id, conversation_id, call_id, batch, ...rest } = parsed.data;
  return {
    ...rest,
    run: run_id,
    conversation: conversation_id ?? run_id,
    ...(batch === undefined ? {} : { batch }),
    ...(call_id === undefined ? {} : { call: call_id }),
  };
}

function describe(error: z.ZodError): string {
  return error.issues
    .map((issue) => [issue.path.join('.'), issue.message].filter((part) => part !== '').join(': '))
    .join('; ');
}
