// What commands of people have in common.
import { z } from 'zod';
import { actionForm } from './action-forms.ts';
import { actionId, revision, text } from './json.ts';
import { type SuccessDoc } from '../route.ts';

export const ofAction = z.strictObject({ id: actionId });

export const reason = text.meta({ description: 'For whoever reads the record.' });

export const revisionSeen = revision
  .optional()
  .meta({ description: 'The revision that you saw; or send the ETag as `If-Match`.' });

const ifMatchMember = {
  'If-Match': z
    .string()
    .optional()
    .meta({ description: 'The ETag of the action as you saw it.', examples: ['"3"'] }),
};

export const ifMatch = z.object(ifMatchMember);

export const prefer = {
  Prefer: z
    .string()
    .optional()
    .meta({ description: '`wait=N`: hold the answer up to N seconds.', examples: ['wait=10'] }),
};

/** Of what may take a while. */
export const ifMatchAndPrefer = z.object({ ...ifMatchMember, ...prefer });

export const preferWait = z.object(prefer);

export const commandDone: SuccessDoc = {
  description: 'Done; the action as it now is.',
  schema: actionForm,
  headers: ['ETag'],
};

/** Not found, does not fit the state, stale. */
export const commandProblems = [404, 409, 412] as const;
