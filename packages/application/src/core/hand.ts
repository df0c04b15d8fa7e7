// Whose hands carry out what is due: those of this process, where it has the tool's functions; else it is
// offered to callers that have them.
import { type Action } from '@action-ledger/domain';
import { type Tool } from '@action-ledger/tools';
import { lookUp } from '../attend/look-up.ts';
import { type Parts } from './parts.ts';
import { send } from '../attempt/send.ts';

export interface Hand {
  /** Everything that guards a send has been looked at but the claim itself. */
  readonly send: (tool: Tool, action: Action) => Promise<void>;
  readonly lookUp: (tool: Tool, action: Action) => Promise<void>;
}

export function handFor(parts: Parts, tool: Tool): Hand {
  return tool.byCaller === true ? offering(parts) : ownHand(parts);
}

function ownHand(parts: Parts): Hand {
  return {
    send: (tool, action) => send(parts, tool, action),
    lookUp: (tool, action) => lookUp(parts, tool, action),
  };
}

/** An offer that nobody takes is looked at again so often. */
const offeredLookMs = 60_000;

function offering(parts: Parts): Hand {
  const offer = (kind: 'send' | 'lookup') => async (tool: Tool, action: Action) => {
    const { id, tenant, revision, secret } = action;
    const isAsked = parts.offers.isAsked(id, revision, parts.clock.monoMs());
    if (kind === 'lookup' && isAsked) return;
    parts.due.set(id, parts.clock.nowMs() + offeredLookMs);
    parts.offers.add({ actionId: id, tenant, tool: tool.name, kind, revision, secret });
  };
  return { send: offer('send'), lookUp: offer('lookup') };
}
