// A call that was repeated is likely to be repeated again: by a loop, a replayed checkpoint, a client
// that retries. While repeats come in, the names of those met are kept by the whole text of the call,
// so that the next one is neither validated nor hashed again. Equal texts have equal names; what new
// calls pay is one text, and only for so long after a repeat.
import { type JsonValue } from '@action-ledger/domain';
import { type Tool } from '@action-ledger/tools';
import { type Names } from './names.ts';
import { type Proposal } from './proposal.ts';
import { createRecentMap } from '../record/recent-map.ts';

export interface RepeatedNames {
  /** Undefined: not kept. @param plain the arguments as they came, checked to be JSON */
  find(tool: Tool, proposal: Proposal, plain: JsonValue): Names | undefined;
  /** The proposal has met an epoch that existed, and was not found here. */
  keep(tool: Tool, proposal: Proposal, plain: JsonValue, names: Names): void;
}

/** So many calls in a row are looked up without being found. */
const callsAfterRepeat = 64;
const namesMax = 16_384;
/** UTF-16 units. */
const textsMax = 16 * 1024 * 1024;
const textMax = 16 * 1024;

export function createRepeatedNames(): RepeatedNames {
  const kept = createRecentMap<Names>({ entriesMax: namesMax, sizeMax: textsMax });
  let callsLeft = 0;
  return {
    find: (tool, proposal, plain) => {
      if (callsLeft === 0 || !mayKeep(tool, proposal)) return undefined;
      const found = kept.get(textOf(tool, proposal, plain));
      callsLeft = found === undefined ? callsLeft - 1 : callsAfterRepeat;
      return found;
    },
    keep: (tool, proposal, plain, names) => {
      if (!mayKeep(tool, proposal)) return;
      callsLeft = callsAfterRepeat;
      const text = textOf(tool, proposal, plain);
      if (text.length <= textMax) kept.set(text, names, text.length);
    },
  };
}

/** Secrets are not kept longer than their call; older names are looked up in the store each time. */
function mayKeep({ declaration, olderDeclarations }: Tool, { link }: Proposal): boolean {
  return link === undefined && declaration.secret.length === 0 && olderDeclarations.length === 0;
}

function textOf(tool: Tool, { tenant, key, origin }: Proposal, plain: JsonValue): string {
  const { conversation, run, turn, call } = origin;
  // A tool of callers may be declared otherwise, and name its actions otherwise, while it runs.
  return JSON.stringify([
    tool.name,
    tool.digest,
    tenant,
    key,
    conversation,
    run,
    turn,
    call,
    plain,
  ]);
}
