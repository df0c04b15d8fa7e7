// GET /subjects/{subject}/versions: which versions of its schema there are.
import { releasedSchemas } from '@action-ledger/schemas';
import { z } from 'zod';
import { registryDoc, versionsForm } from '../../forms/schema-forms.ts';
import { route } from '../../route.ts';
import { anyQuery, noSubject, notFound, registryAnswer } from './registry-answers.ts';

export const listVersions = route({
  name: 'listVersions',
  method: 'GET',
  path: '/subjects/{subject}/versions',
  tag: 'schemas',
  summary: 'The versions of a subject',
  params: z.strictObject({ subject: z.string().min(1) }),
  query: anyQuery,
  answers: {
    200: registryDoc('In rising order.', versionsForm, [1]),
    404: notFound(40_401, "Subject 'x' not found."),
  },
  handle: async (_door, { params: { subject } }) => {
    const own = releasedSchemas.filter((each) => each.subject === subject);
    if (own.length === 0) return noSubject(subject);
    return registryAnswer(own.map(({ version }) => version).sort((one, other) => one - other));
  },
});
