// The forms of a schema registry's answers, as clients of Confluent's read them.
import { z } from 'zod';
import { type SuccessDoc } from '../route.ts';

export const registryMediaType = 'application/vnd.schemaregistry.v1+json';

const id = z
  .number()
  .int()
  .meta({ description: 'As it stands in the first five bytes of a record.', examples: [1] });

const schema = z.string().meta({ description: 'JSON text.' });

const version = z.number().int().min(1);

export const schemaForm = z.strictObject({ schema }).meta({ id: 'RegisteredSchema' });

export const subjectsForm = z.array(z.string()).meta({ id: 'Subjects' });

export const versionsForm = z.array(version).meta({ id: 'Versions' });

export const versionForm = z
  .strictObject({ subject: z.string(), version, id, schema })
  .meta({ id: 'RegisteredVersion' });

export const compatibilityForm = z
  .strictObject({ compatibilityLevel: z.string() })
  .meta({ id: 'Compatibility' });

export const registryErrorForm = z
  .strictObject({ error_code: z.number().int(), message: z.string() })
  .meta({ id: 'RegistryError' });

export function registryDoc(
  description: string,
  form: SuccessDoc['schema'],
  example?: unknown,
): SuccessDoc {
  const shown = example === undefined ? {} : { example };
  return { description, mediaTypes: [registryMediaType], schema: form, ...shown };
}
