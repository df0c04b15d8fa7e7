// Every header that an answer can have, and what is in it. A test holds all answers against this: what is
// not declared is not sent.
import { z, type ZodType } from 'zod';
import { problems } from '../answers/problems.ts';

const forms = {
  Allow: z.string().meta({ description: 'The methods that this address has.' }),
  'Cache-Control': z.string().meta({ description: 'Whether it may be kept: answers never.' }),
  'Content-Security-Policy': z
    .string()
    .meta({ description: 'The page loads nothing from elsewhere.' }),
  ETag: z
    .string()
    .regex(/^"-?\d+"$/)
    .meta({ description: 'The revision, to be sent back as `If-Match`.' }),
  'Idempotent-Replayed': z
    .literal('true')
    .meta({ description: 'Answered from the record, nothing ran.' }),
  Location: z
    .string()
    .regex(/^\/v1\//)
    .meta({ description: 'The address of the action or the workflow.' }),
  'Preference-Applied': z
    .string()
    .regex(/^wait=\d+$/)
    .meta({ description: 'How long the answer was held at most, in seconds.' }),
  'Retry-After': z
    .string()
    .regex(/^\d+$/)
    .meta({ description: 'In so many seconds there may be something new.' }),
  'WWW-Authenticate': z.string().meta({ description: 'How to prove who asks.' }),
  'X-Accel-Buffering': z.literal('no').meta({ description: 'For proxies: hand on at once.' }),
  'X-Content-Type-Options': z.literal('nosniff').meta({ description: 'It is what it says.' }),
  'X-Request-Id': z.string().meta({ description: 'Where requests are logged: its name there.' }),
  'Workflow-Step': z.enum(['settled', 'waiting']).meta({
    description:
      '`settled`: how the step ended is on record. `waiting`: nothing more can be said now, come back.',
  }),
} satisfies Readonly<Record<string, ZodType>>;

export type HeaderName = keyof typeof forms;

const ofEveryAnswer: readonly HeaderName[] = ['Cache-Control', 'X-Request-Id'];

/** Any of them may be missing. */
const components = Object.entries(forms).map(
  ([name, form]: readonly [string, ZodType]) =>
    [name, form.optional().meta({ ...form.meta(), header: { id: name } })] as const,
);

/** These, and those that every answer can have. */
export function headersNamed(names: readonly HeaderName[]): z.ZodObject {
  const own: ReadonlySet<string> = new Set([...ofEveryAnswer, ...names]);
  return z.object(Object.fromEntries(components.filter(([name]) => own.has(name))));
}

/** Of problems of a status, whatever the route. */
export function headersOfStatus(status: number): readonly HeaderName[] {
  if (status === 401) return ['WWW-Authenticate'];
  if (status === 405) return ['Allow'];
  return laterStatuses.has(status) ? ['Retry-After'] : [];
}

/** Where it makes sense to ask again later. */
const laterStatuses: ReadonlySet<number> = new Set(
  Object.values(problems).flatMap(({ status, retryAfterS }) =>
    retryAfterS === undefined ? [] : [status],
  ),
);
