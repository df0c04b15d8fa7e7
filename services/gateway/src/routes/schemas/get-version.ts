// GET /subjects/{subject}/versions/{version}: one version of its schema, or the latest.
import { releasedSchemas } from '@action-ledger/schemas';
import { z } from 'zod';
import { registryDoc, versionForm } from '../../forms/schema-forms.ts';
import { route } from '../../route.ts';
import {
  anyQuery,
  invalidVersion,
  noSubject,
  notFound,
  noVersion,
  registryAnswer,
} from './registry-answers.ts';

export const getVersion = route({
  name: 'getVersion',
  method: 'GET',
  path: '/subjects/{subject}/versions/{version}',
  tag: 'schemas',
  summary: 'A version of a subject, or its latest',
  params: z.strictObject({
    subject: z.string().min(1),
    version: z.string().min(1).meta({ description: 'A number from 1, or `latest`.' }),
  }),
  query: anyQuery,
  answers: {
    200: registryDoc('The version.', versionForm),
    404: notFound(40_402, 'Version 9 not found.'),
    422: { ...notFound(42_202, 'The specified version'), description: 'That is no version.' },
  },
  handle: async (_door, { params: { subject, version: asked } }) => {
    const version = versionIn(asked);
    if (version === undefined) return invalidVersion(asked);
    const own = releasedSchemas.filter((each) => each.subject === subject);
    if (own.length === 0) return noSubject(subject);
    const wanted = version === 'latest' ? Math.max(...own.map((each) => each.version)) : version;
    const found = own.find((each) => each.version === wanted);
    if (found === undefined) return noVersion(wanted);
    const { id, schema } = found;
    return registryAnswer({ subject, version: wanted, id, schema });
  },
});

function versionIn(asked: string): number | 'latest' | undefined {
  if (asked === 'latest' || asked === '-1') return 'latest';
  const version = /^[1-9]\d{0,9}$/.test(asked) ? Number(asked) : 0;
  return version >= 1 && version < 2 ** 31 ? version : undefined;
}
