// The policy port with its built-in rule: what the tool itself declares. Another adapter (Cedar) can
// take its place; whatever decides, its version is recorded with the decision.
import { type JsonObject, type PolicyDecision } from '@action-ledger/domain';
import { type Tool } from '@action-ledger/tools';

/** Of a tool without a policy: everything is allowed. */
export const openPolicyVersion = 'open';

export function policyFor(tool: Tool, tenant: string, args: JsonObject): PolicyDecision {
  const version = policyVersionOf(tool);
  if (tool.policy === undefined)
    return tool.approval === undefined ? openPolicy : { effect: 'allow', version };
  try {
    const { effect, reason } = tool.policy.decide(args, { tenant });
    return reason === undefined ? { effect, version } : { effect, version, reason };
  } catch (error) {
    // A gate that breaks stays closed.
    return {
      effect: 'deny',
      version,
      reason: `the policy failed: ${error instanceof Error ? error.message : 'unknown'}`,
    };
  }
}

/** Of a tool that asks for approval it names the declaration too: an approval is for what was declared then. */
function policyVersionOf(tool: Tool): string {
  const version = tool.policy?.version ?? openPolicyVersion;
  return tool.approval === undefined ? version : `${version}+${tool.digest.slice(0, 8)}`;
}

const openPolicy: PolicyDecision = { effect: 'allow', version: openPolicyVersion };
