// The form of a problem document: RFC 9457, with the ledger's code and what belongs to it.
import { z } from 'zod';
import { answerWords } from '@action-ledger/application';
import { actionForm, answerForm } from './action-forms.ts';
import { object } from './json.ts';

const words = Object.keys(answerWords) as (keyof typeof answerWords)[];

export const problemForm = z
  .strictObject({
    type: z.string().meta({
      description: 'Stable: `urn:action-ledger:problem:` and the code.',
      examples: ['urn:action-ledger:problem:key.other-arguments'],
    }),
    title: z.string(),
    status: z.number().int().min(200).max(599),
    code: z.string().meta({ description: 'Stable; see docs/errors.md.' }),
    detail: z.string(),
    word: z.enum(words).meta({ description: 'One of ten, from a fixed vocabulary.' }),
    messageForModel: z.string(),
    facts: object.optional().meta({ description: 'For programs: the place, the revision.' }),
    answer: answerForm.optional(),
    action: actionForm.optional(),
  })
  .meta({ id: 'Problem' });
