// The forms of declarations that come as data: what HTTP tools in a file and the tools of callers have in
// common. Unknown members are refused, so that a misspelt rule is not a missing rule.
import { z } from 'zod';
import { type JsonValue } from '@action-ledger/domain';
import { type Duration } from './duration.ts';

export const json = z.json() as z.ZodType<JsonValue>;
export const duration = z.union([z.int(), z.string()]) as z.ZodType<Duration>;
export const paths = z.array(z.string());
const normalization = z.enum(['nfc', 'trim', 'lowercase', 'collapse-whitespace']);

export const times = {
  keyWindow: duration.optional(),
  settleMs: z.int().optional(),
  timeoutMs: z.int().optional(),
  inFlightMs: z.int().optional(),
  leaseMs: z.int().optional(),
  validFor: duration.optional(),
  undoWindow: duration.optional(),
  retry: z
    .strictObject({
      attempts: z.int().optional(),
      backoffMinMs: z.int().optional(),
      backoffMaxMs: z.int().optional(),
    })
    .optional(),
  checks: z
    .strictObject({
      intervalMinMs: z.int().optional(),
      intervalMaxMs: z.int().optional(),
      checksMax: z.int().optional(),
      escalateAfterMs: z.int().optional(),
    })
    .optional(),
};

export const load = z.strictObject({
  concurrent: z.int().optional(),
  perSecond: z.number().optional(),
  oneAtATime: paths.optional(),
});

export const identity = {
  identity: paths.optional(),
  free: paths.optional(),
  normalize: z.record(z.string(), z.union([normalization, z.array(normalization)])).optional(),
  sets: paths.optional(),
  scope: z.enum(['call', 'turn', 'run', 'conversation', 'tenant']).optional(),
};

/** Members that say what the tool is and how its actions are told apart. */
export const naming = {
  name: z.string(),
  description: z.string().optional(),
  input: z.record(z.string(), json),
  ...identity,
  secret: paths.optional(),
  keep: paths.optional(),
  identityVersion: z.int().optional(),
  previously: z.array(z.strictObject({ identityVersion: z.int(), ...identity })).optional(),
  key: z.enum(['derived', 'caller']).optional(),
};

export const guarantee = z.enum(['idempotent', 'lookup', 'natural', 'manual']);

export const approval = z.union([
  z.boolean(),
  z.strictObject({
    votes: z.int().optional(),
    ownVote: z.boolean().optional(),
    expiresAfter: duration.optional(),
  }),
]);

export const downstreamKey = z.enum(['base64url', 'uuid', 'hex']);
