// A declared tool: checked, completed with the defaults, frozen. What the engine works with.
import { type ZodType } from 'zod';
import {
  type ApprovalRules,
  type FieldPath,
  type IdentityDeclaration,
  type JsonObject,
  type JsonValue,
  type Refusal,
  type ToolRules,
} from '@action-ledger/domain';
import { type LoadLimits } from './declare-load.ts';
import {
  type AttemptContext,
  type DownstreamKeyFormat,
  type ExecuteContext,
  type LookupVerdict,
  type Policy,
} from './definition.ts';
import { type argumentsRefusalCode } from './refusal-codes.ts';
import { isThenable, silence } from './thenable.ts';

export interface ToolApproval {
  readonly rules: ApprovalRules;
  /** Which arguments need approval; undefined: all. Ask by `needsApproval`. */
  readonly when: ((args: JsonObject) => boolean) | undefined;
}

export interface ToolPolicy {
  readonly version: string;
  readonly decide: (args: JsonObject, context: { readonly tenant: string }) => Policy;
}

export interface ToolCompensation {
  readonly tool: string;
  readonly arguments: (original: {
    readonly arguments: JsonObject;
    readonly result: JsonValue;
    readonly externalId?: string;
  }) => Record<string, unknown>;
}

export type ValidatedArguments =
  | {
      readonly kind: 'valid';
      /** Deeply frozen, defaults filled. */
      readonly args: JsonObject;
    }
  | Refusal<typeof argumentsRefusalCode>;

export interface Tool {
  readonly name: string;
  readonly kind: 'write' | 'read';
  readonly description: string | undefined;
  /** The strict form of what the author gave. */
  readonly input: ZodType;
  readonly declaration: IdentityDeclaration;
  /** Of identity versions whose names are still accepted, newest first. */
  readonly olderDeclarations: readonly IdentityDeclaration[];
  /**
   * Paths of all declared fields; members inside arrays are not listed. Required: it and all members
   * around it must be given.
   */
  readonly fields: Readonly<Record<FieldPath, 'required' | 'optional'>>;
  /** For a read: those of `manual`, the most careful; it is never dispatched by them. */
  readonly rules: ToolRules;
  /** Proposals must bring a key of their own. */
  readonly needsKey: boolean;
  readonly approval: ToolApproval | undefined;
  readonly policy: ToolPolicy | undefined;
  readonly load: LoadLimits | undefined;
  /** `arguments.x` or `outcome.x`: never cut from a stored outcome. */
  readonly keep: readonly string[];
  readonly compensate: ToolCompensation | undefined;
  readonly downstreamKeyFormat: DownstreamKeyFormat;
  /** As declared, where this one lets every call go out and the ledger only observes (`observedTool`). */
  readonly observes?: Tool;
  /** It is carried out by callers in processes of their own: nothing here has its functions. */
  readonly byCaller?: true;
  /** Of the whole declaration (`declarationDigest`): equal where nothing has changed. */
  readonly digest: string;
  readonly validate: (args: unknown) => ValidatedArguments;
  /** Run it by `runExecute`. */
  readonly execute: (context: ExecuteContext<JsonObject>) => unknown;
  /** Run it by `runLookup`. */
  readonly lookup:
    ((context: AttemptContext<JsonObject>) => LookupVerdict | Promise<LookupVerdict>) | undefined;
}

/** A tool that remembers its types for callers in the same program. */
export interface TypedTool<Args, Result> extends Tool {
  /** Never set: carries the types. */
  readonly types?: { readonly arguments: Args; readonly result: Result };
}

/** Made by `defineTool` or `httpTool`. */
export function isTool(value: unknown): value is Tool {
  if (typeof value !== 'object' || value === null) return false;
  const { name, kind, declaration, validate } = value as Partial<Tool>;
  return (
    typeof name === 'string' &&
    (kind === 'write' || kind === 'read') &&
    typeof declaration === 'object' &&
    typeof validate === 'function'
  );
}

/**
 * A condition that throws, or says neither true nor false, asks for approval: in doubt, a person looks.
 * @param onFault hears what broke
 */
export function needsApproval(
  tool: Tool,
  args: JsonObject,
  onFault?: (fault: unknown) => void,
): boolean {
  const { approval } = tool;
  if (approval?.when === undefined) return approval !== undefined;
  try {
    const said: unknown = approval.when(args);
    if (typeof said === 'boolean') return said;
    silence(said);
    const what = isThenable(said) ? 'a promise' : typeof said;
    onFault?.(new TypeError(`\`approval.when\` must return true or false, not ${what}`));
  } catch (fault) {
    onFault?.(fault);
  }
  return true;
}
