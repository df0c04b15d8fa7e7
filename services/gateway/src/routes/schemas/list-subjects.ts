// GET /subjects: what there are schemas of.
import { releasedSchemas } from '@action-ledger/schemas';
import { registryDoc, subjectsForm } from '../../forms/schema-forms.ts';
import { route } from '../../route.ts';
import { anyQuery, registryAnswer } from './registry-answers.ts';

const example = ['action.events-value', 'action.state-value'];

export const listSubjects = route({
  name: 'listSubjects',
  method: 'GET',
  path: '/subjects',
  tag: 'schemas',
  summary: 'What there are schemas of',
  query: anyQuery,
  answers: { 200: registryDoc('All of them.', subjectsForm, example) },
  handle: async () =>
    registryAnswer([...new Set(releasedSchemas.map(({ subject }) => subject))].sort()),
});
