// What the ledger refuses of a command that is about no single action: the code's own status and title.
import { type Refusal } from '@action-ledger/domain';
import { type HttpAnswer, problem } from './answers/http-answer.ts';
import { isProblemCode } from './answers/problems.ts';

export function refusedByLedger({ code, message, detail }: Refusal): HttpAnswer {
  if (!isProblemCode(code)) return problem('gateway.bug');
  return problem(code, { detail: message, ...(detail === undefined ? {} : { facts: detail }) });
}
