// Arguments of a step that do not fit are refused before anything is recorded, as those of any call.
import { checkJson, type JsonObject, type Refusal, type Workflow } from '@action-ledger/domain';
import { type Tool } from '@action-ledger/tools';
import { type Answer, refusedAnswer } from '../answer/answer.ts';
import { type RefusedCode } from '../answer/answer-codes.ts';

export function checkedArguments(
  tool: Tool,
  given: unknown,
): { readonly kind: 'valid'; readonly args: JsonObject } | Refusal<RefusedCode> {
  const plain = checkJson(given);
  return plain.kind === 'refusal' ? plain : tool.validate(plain.value);
}

export function argumentsRefused(
  { tenant }: Workflow,
  tool: Tool,
  why: Refusal<RefusedCode>,
): Answer {
  return refusedAnswer({
    tenant,
    tool: tool.name,
    word: 'failed-without-effect',
    code: why.code,
    reason: why.message,
    ...(why.detail === undefined ? {} : { detail: why.detail }),
  });
}
