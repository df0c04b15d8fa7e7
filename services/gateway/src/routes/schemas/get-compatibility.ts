// GET /config: how versions of a schema go together.
import { compatibilityLevel } from '@action-ledger/schemas';
import { compatibilityForm, registryDoc } from '../../forms/schema-forms.ts';
import { route } from '../../route.ts';
import { anyQuery, registryAnswer } from './registry-answers.ts';

export const getCompatibility = route({
  name: 'getCompatibility',
  method: 'GET',
  path: '/config',
  tag: 'schemas',
  summary: 'How versions of a schema go together',
  query: anyQuery,
  answers: { 200: registryDoc('The level.', compatibilityForm, { compatibilityLevel }) },
  handle: async () => registryAnswer({ compatibilityLevel }),
});
