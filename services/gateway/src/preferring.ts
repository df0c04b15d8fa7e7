// What was preferred and is done is said with the answer (RFC 7240): not with a problem.
import { type HttpAnswer } from './answers/http-answer.ts';
import { type Wait } from './request-headers.ts';

export function preferring(answer: HttpAnswer, { applied }: Pick<Wait, 'applied'>): HttpAnswer {
  if (answer.status >= 400) return answer;
  return { ...answer, headers: { ...answer.headers, ...applied } };
}
