// GET /schemas/ids/{schema}: what a record was written by.
import { releasedSchemas } from '@action-ledger/schemas';
import { z } from 'zod';
import { registryDoc, schemaForm } from '../../forms/schema-forms.ts';
import { route } from '../../route.ts';
import { anyQuery, noSchema, notFound, registryAnswer } from './registry-answers.ts';

export const getSchema = route({
  name: 'getSchema',
  method: 'GET',
  path: '/schemas/ids/{schema}',
  tag: 'schemas',
  summary: 'The schema of an id',
  params: z.strictObject({ schema: z.string().min(1).meta({ description: 'Its id.' }) }),
  query: anyQuery,
  answers: {
    200: registryDoc('The schema.', schemaForm),
    404: notFound(40_403, 'Schema 7 not found'),
  },
  handle: async (_door, { params: { schema: asked } }) => {
    const found = releasedSchemas.find(({ id }) => String(id) === asked);
    return found === undefined ? noSchema(asked) : registryAnswer({ schema: found.schema });
  },
});
