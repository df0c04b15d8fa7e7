// The forms of what belongs to a tenant as a whole: its pauses and its keys.
import { roles } from '@action-ledger/access';
import { z } from 'zod';
import { text, time } from './json.ts';

export const pauseForm = z
  .strictObject({
    tenant: z.string().optional().meta({ description: 'Without it: of every tenant.' }),
    tool: z.string().optional().meta({ description: 'Without it: of every tool.' }),
    reason: z.string(),
    by: z.string(),
    at: time,
    revision: z
      .number()
      .int()
      .meta({ description: 'Of this pause: whoever ends it names the one that they saw.' }),
  })
  .meta({ id: 'Pause' });

export const pauseAnswer = z.strictObject({ pause: pauseForm }).meta({ id: 'PauseAnswer' });

export const pauseScope = {
  tool: text.optional().meta({ description: 'Without it: every tool.' }),
  tenant: text.optional().meta({ description: 'Your own, which is what is meant without it.' }),
  everyTenant: z
    .boolean()
    .optional()
    .meta({ description: 'Every tenant: for the owner of the machine.' }),
};

export const keyForm = z
  .strictObject({
    id: z.string(),
    tenant: z.string(),
    name: z.string().meta({ description: 'Who holds it.' }),
    roles: z.array(z.enum(roles)),
    createdAt: time,
    createdBy: z.string(),
    expiresAt: time.optional(),
    revoked: z.strictObject({ at: time, by: z.string(), reason: z.string() }).optional(),
  })
  .meta({ id: 'Key', description: 'A key on record: neither its text nor its hash.' });

export const keyAnswer = z.strictObject({ key: keyForm }).meta({ id: 'KeyAnswer' });
