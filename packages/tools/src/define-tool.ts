// Turns an author's declaration into a frozen tool: everything is checked here, once, so that a wrong
// declaration fails at start and never on a proposal.
import { type JsonObject, type ToolRules } from '@action-ledger/domain';
import { checkMembers } from './check-members.ts';
import { declarationDigest, declarationEvent } from './declaration-event.ts';
import {
  checkRootedPath,
  declareIdentity,
  declarePrevious,
  keptPaths,
  needsCallersKey,
} from './declare-identity.ts';
import { declareLoad } from './declare-load.ts';
import { declareApproval, declareRules } from './declare-rules.ts';
import { type ToolDefinition } from './definition.ts';
import { keyFormatProblem } from './downstream-key.ts';
import { isRecord } from './forms.ts';
import { type Field, fieldNeeds, fieldTree } from './schema/field-tree.ts';
import { deepFreeze, strictSchema } from './schema/strict-schema.ts';
import { type Tool, type ToolPolicy, type TypedTool } from './tool.ts';
import { type Fail, failFor } from './tool-declaration-error.ts';
import { validateArguments } from './validate-arguments.ts';

/** @throws ToolDeclarationError with a code and a message that names the fix */
export function defineTool<Args, Result = unknown>(
  definition: ToolDefinition<Args, Result>,
): TypedTool<Args, Result> {
  return declare(definition as unknown as ToolDefinition<JsonObject>);
}

function declare(definition: ToolDefinition<JsonObject>): Tool {
  const fail = failOf(definition);
  if (!isRecord(definition))
    fail('tool.member', 'a declaration is one object: defineTool({ name, input, … }).');
  checkForm(definition, fail);
  const input = strictSchema(definition.input, fail);
  const root = fieldTree(input);
  if (root.kinds.size !== 1 || !root.kinds.has('object'))
    fail('tool.schema', 'its arguments must be one object: z.object({ … }).');
  const declaration = deepFreeze(declareIdentity(definition, root, fail) as never) as ReturnType<
    typeof declareIdentity
  >;
  const needsKey = definition.kind === 'read' ? false : needsCallersKey(definition, root, fail);
  const rules = declareRules(definition, fail);
  checkUndoneBy(rules, root, declaration.secret, fail);
  const approvalRules = declareApproval(definition, fail);
  const when = typeof definition.approval === 'object' ? definition.approval.when : undefined;
  const tool: Omit<Tool, 'digest'> = {
    name: definition.name,
    kind: definition.kind ?? 'write',
    description: definition.description,
    input,
    declaration,
    olderDeclarations: deepFreeze(declarePrevious(definition, root, fail) as never),
    fields: Object.freeze(fieldNeeds(root)),
    rules: deepFreeze(rules as never),
    needsKey,
    approval:
      approvalRules === undefined
        ? undefined
        : Object.freeze({ rules: Object.freeze(approvalRules), when }),
    policy: policyOf(definition, fail),
    load: declareLoad(definition, root, fail),
    keep: Object.freeze(keptPaths(definition, root, fail)),
    compensate: compensationOf(definition, fail),
    downstreamKeyFormat: definition.downstreamKey ?? 'base64url',
    validate: (args) => validateArguments(definition.name, input, args),
    execute: definition.execute,
    lookup: definition.lookup,
  };
  return Object.freeze({ ...tool, digest: declarationDigest(declarationEvent(tool)) });
}

const longestName = 64;

/** Under the name that is declared, whatever else is wrong. */
export function failOf(definition: unknown): Fail {
  const name = isRecord(definition) ? definition['name'] : undefined;
  return failFor(typeof name === 'string' ? name.slice(0, longestName) : '');
}

function checkForm(definition: ToolDefinition<JsonObject>, fail: Fail): void {
  const { name, kind } = definition as { readonly name?: unknown; readonly kind?: unknown };
  if (typeof name !== 'string' || !/^[A-Za-z0-9_.-]{1,64}$/.test(name))
    fail('tool.name', `a name has 1 to ${longestName} of the characters A-Z a-z 0-9 _ . -`);
  checkMembers(definition, fail);
  if (kind !== undefined && kind !== 'write' && kind !== 'read')
    fail('tool.member', 'kind must be "write" or "read".');
  if (kind === 'read') refuseWriteMembers(definition, fail);
  const problem = keyFormatProblem(definition.downstreamKey ?? 'base64url');
  if (problem !== undefined) fail('tool.key', `downstreamKey: ${problem}.`);
}

function refuseWriteMembers(definition: ToolDefinition<JsonObject>, fail: Fail): void {
  const writeOnly = ['undoneBy', 'compensate', 'undoWindow', 'approval', 'load'] as const;
  const member = writeOnly.find((name) => definition[name] !== undefined);
  if (member !== undefined)
    fail(
      'tool.member',
      `a read passes through and is not recorded, so \`${member}\` would do nothing; remove it, or declare kind: "write".`,
    );
}

function checkUndoneBy(rules: ToolRules, root: Field, secret: readonly string[], fail: Fail): void {
  for (const { tool, match } of rules.undoneBy) {
    if (Object.keys(match).length === 0)
      fail(
        'tool.undone-by',
        `undoneBy "${tool}" matches nothing, so any use of it would undo any action; name the fields that must be equal.`,
      );
    for (const own of Object.values(match)) checkRootedPath('undoneBy', own, root, secret, fail);
  }
}

function policyOf(definition: ToolDefinition<JsonObject>, fail: Fail): ToolPolicy | undefined {
  const policy = definition.policy as Partial<ToolPolicy> | undefined;
  if (policy === undefined) return undefined;
  const { version, decide } = policy;
  if (typeof version !== 'string' || version === '' || version.length > 255)
    return fail(
      'tool.policy',
      'policy.version must be a text: it is recorded with each decision; change it with the rule.',
    );
  if (typeof decide !== 'function')
    return fail('tool.policy', 'policy.decide must be a function of the arguments.');
  return Object.freeze({ version, decide });
}

function compensationOf(definition: ToolDefinition<JsonObject>, fail: Fail): Tool['compensate'] {
  const compensate = definition.compensate as Partial<NonNullable<Tool['compensate']>> | undefined;
  if (compensate === undefined) return undefined;
  const { tool, arguments: argumentsOf } = compensate;
  if (typeof tool !== 'string' || typeof argumentsOf !== 'function')
    return fail(
      'tool.compensate',
      'compensate must be { tool: <name>, arguments: (original) => … }.',
    );
  return Object.freeze({ tool, arguments: argumentsOf });
}
