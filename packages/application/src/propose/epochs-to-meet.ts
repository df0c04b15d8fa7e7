// Which epochs a proposal meets, with as few reads as are honest: what is kept, else nothing where a
// first epoch is worth trying (`no stream` finds out), else what the store says.
import { type EpochChains, type Epochs } from './chain-of-epochs.ts';
import { type Names } from './names.ts';
import { notRecordable } from '../answer/not-recordable.ts';
import { type Parts } from '../core/parts.ts';
import { type Proposal } from './proposal.ts';

interface MeetDeps {
  readonly parts: Parts;
  readonly chains: EpochChains;
}

interface ToMeet {
  readonly epochs: Epochs;
  /** Nothing was read: a create may find the stream taken. */
  readonly unread: boolean;
}

export function epochsToMeet(
  deps: MeetDeps,
  proposal: Proposal,
  names: Names,
  fresh: boolean,
): ToMeet | Promise<ToMeet> {
  const { chains } = deps;
  const held = fresh ? undefined : chains.held(names.keyHash);
  if (held !== undefined) return { epochs: held, unread: false };
  if (!fresh && isWorthTrying(deps, proposal, names)) return { epochs: noEpochs, unread: true };
  return chains.load(names.keyHash, { fresh }).then((epochs) => ({ epochs, unread: false }));
}

const noEpochs: Epochs = { kind: 'epochs', actions: [] };

/** A first epoch can be created without reading first: `no stream` finds out whether it exists. */
function isWorthTrying({ parts, chains }: MeetDeps, proposal: Proposal, names: Names): boolean {
  if (names.older.length > 0 || !chains.mayTryFirst()) return false;
  return notRecordable(parts, proposal) === undefined;
}
