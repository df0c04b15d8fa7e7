// Runs one attempt and says what became of it. A plain value is a success; an exception, an abort or
// anything else that proves nothing is doubt; "not sent" is believed only while `beforeSend` has not
// been passed. Never rejects. Secret fields are blotted out of what comes back.
import { type JsonObject } from '@action-ledger/domain';
import { type AttemptOutcome } from './attempt-outcome.ts';
import { type AttemptResult, attemptResultKind, NotSent } from './attempt-result.ts';
import { type ExecuteContext } from './definition.ts';
import { cutText, describeThrown, isNativeError } from './safe-text.ts';
import { redactMembers, secretTexts } from './secrets.ts';
import { type Tool } from './tool.ts';

export type LateOutcome = (outcome: AttemptOutcome) => void;

/**
 * Ends at the latest when the context's signal aborts.
 * @param onLate gets what `execute` still returned after that: a late report, not the outcome
 */
export function runExecute(
  tool: Tool,
  context: ExecuteContext<JsonObject>,
  onLate?: LateOutcome,
): Promise<AttemptOutcome> {
  const { signal } = context;
  if (signal.aborted) return Promise.resolve({ kind: 'not sent', reason: abortReason(signal) });
  return new Promise((resolve) => {
    let isOver = false;
    const finish = (outcome: AttemptOutcome): void => {
      if (isOver) return;
      isOver = true;
      signal.removeEventListener('abort', onAbort);
      resolve(outcome);
    };
    // One turn of grace: a tool that heeds the signal answers in it and knows whether it has sent.
    const onAbort = (): void => {
      setImmediate(finish, { kind: 'in doubt', reason: abortReason(signal), answered: false });
    };
    signal.addEventListener('abort', onAbort, { once: true });
    void attempt(tool, context).then(
      (outcome) => {
        if (isOver) onLate?.(outcome);
        else finish(outcome);
      },
      () => {
        // What was thrown could not even be looked at.
        finish({
          kind: 'in doubt',
          reason: 'thrown: something that cannot be read',
          answered: false,
        });
      },
    );
  });
}

/** Whether the send was allowed and so may have begun. */
interface SendWatch {
  hasPassed: boolean;
}

async function attempt(tool: Tool, context: ExecuteContext<JsonObject>): Promise<AttemptOutcome> {
  const watch: SendWatch = { hasPassed: false };
  const secrets = secretTexts(context.arguments, tool.declaration.secret);
  const beforeSend = (): void => {
    if (context.signal.aborted) throw new NotSent(abortReason(context.signal));
    context.beforeSend();
    watch.hasPassed = true;
  };
  try {
    return redactMembers(classify(await tool.execute({ ...context, beforeSend }), watch), secrets);
  } catch (thrown) {
    return redactMembers(classifyThrown(thrown, watch), secrets);
  }
}

function classify(value: unknown, watch: SendWatch): AttemptOutcome {
  if (attemptResultKind(value) !== undefined) return classifyResult(value as AttemptResult, watch);
  // Returned instead of thrown, it proves as little.
  if (isNativeError(value)) return classifyThrown(value, watch);
  return { kind: 'succeeded', result: value };
}

function classifyResult(result: AttemptResult, watch: SendWatch): AttemptOutcome {
  const kind = attemptResultKind(result);
  const claims = result as unknown as Partial<Record<string, unknown>>;
  const reason = textOf(claims['reason']) ?? 'no reason given';
  const wait = retryAfter(claims['retryAfterMs']);
  switch (kind) {
    case 'refused': {
      const code = textOf(claims['code']);
      const detail = claims['detail'];
      const more = { ...(code !== undefined && { code }), ...(detail !== undefined && { detail }) };
      return {
        kind: 'no effect',
        reason,
        retryable: claims['retryable'] === true,
        ...wait,
        ...more,
        ...(claims['neverHadEffect'] === true && { neverHadEffect: true }),
      };
    }
    case 'in doubt':
      return { kind: 'in doubt', reason, answered: claims['answered'] === true, ...wait };
    case 'not sent':
      return unsent(reason, watch);
    case 'succeeded':
    case undefined: {
      const externalId = textOf(claims['externalId']);
      return {
        kind: 'succeeded',
        result: claims['result'],
        ...(externalId !== undefined && { externalId }),
      };
    }
  }
}

function classifyThrown(thrown: unknown, watch: SendWatch): AttemptOutcome {
  const reason = describeThrown(thrown);
  return isNotSent(thrown) ? unsent(reason, watch) : { kind: 'in doubt', reason, answered: false };
}

function unsent(reason: string, watch: SendWatch): AttemptOutcome {
  return watch.hasPassed
    ? {
        kind: 'in doubt',
        reason: `said not to be sent after the send had begun: ${reason}`,
        answered: false,
      }
    : { kind: 'not sent', reason };
}

/** By name: the tool may have been built against another copy of this package. */
function isNotSent(thrown: unknown): boolean {
  return isNativeError(thrown) && thrown.name === 'NotSent';
}

export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value !== '' ? cutText(value) : undefined;
}

function retryAfter(value: unknown): { readonly retryAfterMs?: number } {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
    ? { retryAfterMs: Math.ceil(value) }
    : {};
}

export function abortReason(signal: AbortSignal): string {
  return `aborted: ${describeThrown(signal.reason)}`;
}
