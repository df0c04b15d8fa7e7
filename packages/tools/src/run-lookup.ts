// Asks a tool's lookup once. Whatever is not a proper verdict is an error, and an error is never taken
// for `absent` (DESIGN.md section 5). Never rejects.
import { type JsonObject } from '@action-ledger/domain';
import { type AttemptContext, type LookupVerdict } from './definition.ts';
import { abortReason, textOf } from './run-execute.ts';
import { cutText, describeThrown } from './safe-text.ts';
import { redactMembers, secretTexts } from './secrets.ts';
import { type Tool } from './tool.ts';

export type LookupOutcome =
  | LookupVerdict
  | {
      readonly verdict: 'error';
      readonly reason: string;
      /** The lookup answered, but with no verdict: what came. Its author is to be told. */
      readonly came?: string;
    };

/** What a lookup must return. */
export const lookupShape =
  "{ verdict: 'found', externalId?, result? }, { verdict: 'absent' } or { verdict: 'ambiguous', reason }";

/** Ends at the latest when the context's signal aborts. */
export function runLookup(tool: Tool, context: AttemptContext<JsonObject>): Promise<LookupOutcome> {
  const { signal } = context;
  if (signal.aborted) return Promise.resolve(failed(abortReason(signal)));
  return new Promise((resolve) => {
    const onAbort = (): void => {
      resolve(failed(abortReason(signal)));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    void ask(tool, context).then((outcome) => {
      signal.removeEventListener('abort', onAbort);
      resolve(outcome);
    });
  });
}

async function ask(tool: Tool, context: AttemptContext<JsonObject>): Promise<LookupOutcome> {
  const secrets = secretTexts(context.arguments, tool.declaration.secret);
  if (tool.lookup === undefined) return failed('the tool has no lookup');
  try {
    return redactMembers(readVerdict(await tool.lookup({ ...context })), secrets);
  } catch (thrown) {
    return redactMembers(failed(describeThrown(thrown)), secrets);
  }
}

function readVerdict(value: unknown): LookupOutcome {
  if (typeof value !== 'object' || value === null)
    return { ...failed('the lookup returned no verdict'), came: cutText(String(value)) };
  const said = value as Partial<Record<string, unknown>>;
  switch (said['verdict']) {
    case 'absent':
      return { verdict: 'absent' };
    case 'ambiguous':
      return { verdict: 'ambiguous', reason: textOf(said['reason']) ?? 'no reason given' };
    case 'found': {
      const externalId = textOf(said['externalId']);
      const found = { verdict: 'found', ...(externalId !== undefined && { externalId }) } as const;
      return said['result'] === undefined ? found : { ...found, result: said['result'] };
    }
    // Anything else the author's code may return.
    default:
      return {
        ...failed('the lookup returned neither found, absent nor ambiguous'),
        came: cutText(cameInstead(said)),
      };
  }
}

function cameInstead(said: Partial<Record<string, unknown>>): string {
  const { verdict } = said;
  if (verdict === undefined) return `an object without verdict: ${Object.keys(said).join(', ')}`;
  return `the verdict ${typeof verdict === 'string' ? JSON.stringify(verdict) : typeof verdict}`;
}

function failed(reason: string): { readonly verdict: 'error'; readonly reason: string } {
  return { verdict: 'error', reason };
}
