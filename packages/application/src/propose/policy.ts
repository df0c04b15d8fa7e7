// The policy port with its built-in rule: what the tool itself declares. Another adapter (Cedar) can
// take its place; whatever decides, its version is recorded with the decision. A gate that breaks, or
// says what nobody understands, stays closed.
import { type JsonObject, type PolicyDecision } from '@action-ledger/domain';
import { type Policy, silence, type Tool, type ToolPolicy } from '@action-ledger/tools';

/** Of a tool without a policy: everything is allowed. */
export const openPolicyVersion = 'open';

export function policyFor(tool: Tool, tenant: string, args: JsonObject): PolicyDecision {
  const version = policyVersionOf(tool);
  if (tool.policy === undefined)
    return tool.approval === undefined ? openPolicy : { effect: 'allow', version };
  const { effect, reason } = decideBy(tool.policy, args, { tenant });
  return reason === undefined ? { effect, version } : { effect, version, reason };
}

/** Never throws. What broke is told, and not shown to whoever called. */
export function decideBy(
  policy: ToolPolicy,
  args: JsonObject,
  context: { readonly tenant: string },
  onFault?: (fault: unknown) => void,
): Policy {
  try {
    const said: unknown = policy.decide(args, context);
    if (isPolicy(said)) return said;
    silence(said);
    onFault?.(new TypeError(misunderstood));
    return { effect: 'deny', reason: 'the policy answered nothing that can be understood' };
  } catch (fault) {
    onFault?.(fault);
    return { effect: 'deny', reason: 'the policy failed' };
  }
}

const misunderstood =
  "`decide` must return { effect: 'allow', 'deny' or 'ask', reason? } and no other member; a promise is no decision";

/** Exactly its members: one more may be a condition that nobody here would keep. */
function isPolicy(said: unknown): said is Policy {
  if (typeof said !== 'object' || said === null) return false;
  const { effect, reason } = said as Readonly<Record<string, unknown>>;
  if (effect !== 'allow' && effect !== 'deny' && effect !== 'ask') return false;
  if (reason !== undefined && typeof reason !== 'string') return false;
  for (const name in said) if (name !== 'effect' && name !== 'reason') return false;
  return true;
}

/** Of a tool that asks for approval it names the declaration too: an approval is for what was declared then. */
function policyVersionOf(tool: Tool): string {
  const version = tool.policy?.version ?? openPolicyVersion;
  return tool.approval === undefined ? version : `${version}+${tool.digest.slice(0, 8)}`;
}

const openPolicy: PolicyDecision = { effect: 'allow', version: openPolicyVersion };
