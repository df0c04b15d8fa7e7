// One check by zod at the door: what does not fit is refused with the names of the members, never with
// their values.
import { type ZodError, type ZodType } from 'zod';
import { misfitOf } from '@action-ledger/proposals';
import { type HttpAnswer, problem } from './answers/http-answer.ts';

export type Checked<Value> =
  | { readonly kind: 'fits'; readonly value: Value }
  | { readonly kind: 'misfit'; readonly answer: HttpAnswer };

export type Part = 'body' | 'query';

export function checkForm<Value>(form: ZodType<Value>, given: unknown, part: Part): Checked<Value> {
  const parsed = form.safeParse(given);
  if (parsed.success) return { kind: 'fits', value: parsed.data };
  return { kind: 'misfit', answer: misfit(parsed.error, part) };
}

function misfit(error: ZodError, part: Part): HttpAnswer {
  const { message, place, problems } = misfitOf(error);
  return problem('request.invalid', {
    detail: `${message} (${part}: ${place}). Nothing was recorded.`,
    facts: { problems: problems.map((each) => ({ in: part, ...each })) },
  });
}
