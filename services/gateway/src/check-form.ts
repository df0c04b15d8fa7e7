// One check by zod at the door: what does not fit is refused with the names of the members, never with
// their values.
import { type ZodError, type ZodType } from 'zod';
import { jsonPointer, placeOf } from '@action-ledger/domain';
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

function isStranger({ code }: ZodError['issues'][number]): boolean {
  return code === 'unrecognized_keys';
}

/** Of a form with hundreds of wrong members, so many are named. */
const namedMax = 10;

function misfit({ issues }: ZodError, part: Part): HttpAnswer {
  // A member of a wrong name is most often the one that is missing: it says more than that.
  const strangersFirst = [...issues].sort((a, b) => Number(isStranger(b)) - Number(isStranger(a)));
  const found = strangersFirst.slice(0, namedMax).flatMap((issue) => {
    const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
    if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
    return issue.keys
      .slice(0, namedMax)
      .map((name) => ({ path: [...path, name], message: 'This member is not known here' }));
  });
  const problems = found.map(({ path, message }) => ({
    in: part,
    pointer: jsonPointer(path),
    message: message.toWellFormed(),
  }));
  const first = found[0];
  const where = first === undefined ? 'the root' : placeOf(first.path);
  return problem('request.invalid', {
    detail: `${first?.message.toWellFormed() ?? 'Something does not fit'} (${part}: ${where}). Nothing was recorded.`,
    facts: { problems },
  });
}
