// An answer of the ledger as an answer of HTTP (DESIGN.md section 9): what this request settled is 201,
// a repeat 200, what is not finished 202, and what was refused the status of its code.
import { type Answer } from '@action-ledger/application';
import { type ActionView, etagOf } from './action-view.ts';
import { type HttpAnswer, problem } from './http-answer.ts';
import { isProblemCode, problems } from './problems.ts';

/** @param current of a command that was refused: the action as it is */
export function replyTo(answer: Answer, nowMs: number, current?: ActionView): HttpAnswer {
  if (answer.state === 'refused') return refusedReply(answer, nowMs, current);
  if (answer.state === 'denied' || answer.state === 'rejected') {
    const { reason, repeat } = answer;
    return problem(answer.state === 'denied' ? 'action.denied' : 'action.rejected', {
      answer,
      ...(reason === undefined ? {} : { detail: reason }),
      headers: { ...locationOf(answer), ...replayed(repeat) },
    });
  }
  if (!isFinished(answer)) return notFinished(answer, nowMs);
  if (answer.state === 'passed-through') return { status: 200, body: answer };
  return {
    status: answer.repeat ? 200 : 201,
    body: answer,
    headers: { ...locationOf(answer), ...replayed(answer.repeat) },
  };
}

export function isFinished({ word }: Answer): boolean {
  return word !== 'in-progress' && word !== 'checking' && word !== 'waiting-for-approval';
}

function refusedReply(answer: Answer, nowMs: number, current?: ActionView): HttpAnswer {
  const { code, word, reason, detail } = answer;
  if (!isProblemCode(code)) return problem('gateway.bug');
  // Somebody looks into it, and this call will get what comes of it.
  if (word === 'checking' && (problems[code].status === 202 || code === 'stream.broken'))
    return notFinished(answer, nowMs, problems[code].retryAfterS);
  // Of another tenant, or none: not even the id that was asked for is said again.
  if (code === 'action.unknown') return problem(code);
  return problem(code, {
    answer,
    ...(reason === undefined ? {} : { detail: reason }),
    ...(isFacts(detail) ? { facts: detail } : {}),
    ...(current === undefined ? {} : { action: current }),
    headers: {
      ...(code === 'key.other-arguments' ? locationOf(answer) : {}),
      ...(current === undefined ? {} : { etag: etagOf(current) }),
    },
  });
}

function isFacts(detail: Answer['detail']): detail is Readonly<Record<string, never>> {
  return typeof detail === 'object' && detail !== null && !Array.isArray(detail);
}

function notFinished(answer: Answer, nowMs: number, afterS?: number): HttpAnswer {
  // Not on record: there is nothing to look at later, and whoever says it anew sends it anew.
  if (answer.state === 'passed-through') return { status: 202, body: answer };
  const seconds = afterS ?? retryAfterS(answer, nowMs);
  return {
    status: 202,
    body: answer,
    headers: { ...locationOf(answer), 'retry-after': String(seconds) },
  };
}

/** People take their time; a check is known to the second; what runs is over soon. */
const approvalLookS = 15;
const operatorLookS = 300;
const runningLookS = 2;
const lookSMax = 3_600;

/** When there may be something new to hear. */
export function retryAfterS(answer: Answer, nowMs: number): number {
  const { word, owner, nextCheckAt } = answer;
  if (word === 'waiting-for-approval') return approvalLookS;
  if (word !== 'checking') return runningLookS;
  if (owner === 'operator') return operatorLookS;
  if (nextCheckAt === undefined) return runningLookS;
  // The check itself takes a moment.
  const seconds = Math.ceil((nextCheckAt - nowMs) / 1_000) + 1;
  return Math.min(Math.max(seconds, 1), lookSMax);
}

export function locationOf({ actionId }: Answer): Readonly<Record<string, string>> {
  return actionId === undefined ? {} : { location: `/v1/actions/${actionId}` };
}

function replayed(repeat: boolean): Readonly<Record<string, string>> {
  return repeat ? { 'idempotent-replayed': 'true' } : {};
}
