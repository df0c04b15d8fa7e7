// For an action whose tool nobody here serves: by these rules nothing is sent and an operator owns it.
import { type ToolRules } from '@action-ledger/domain';

export function manualRules(tool: string): ToolRules {
  return {
    tool,
    guarantee: 'manual',
    timeoutMs: 30_000,
    inFlightMs: 60_000,
    leaseMs: 40_000,
    settleMs: 10_000,
    keyWindowMs: 0,
    validForMs: 0,
    undoWindowMs: 0,
    retry: { attemptsMax: 1, backoffMinMs: 500, backoffMaxMs: 60_000 },
    checks: {
      intervalMinMs: 5_000,
      intervalMaxMs: 3_600_000,
      checksMax: 12,
      escalateAfterMs: 24 * 3_600_000,
    },
    undoneBy: [],
    canLookUp: false,
  };
}
