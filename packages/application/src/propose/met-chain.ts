// The epochs under the name that a proposal meets, wherever that name is only kept for another.
import { type EpochChains, type Epochs } from './chain-of-epochs.ts';
import { type Names, underReservedName } from './names.ts';

export async function chainOf(
  chains: EpochChains,
  named: Names,
): Promise<{ readonly names: Names; readonly epochs: Epochs }> {
  const epochs = await chains.load(named.keyHash, { fresh: true });
  if (epochs.kind === 'broken') return { names: named, epochs };
  const followed = underReservedName(named, epochs.actions);
  return followed === undefined ? { names: named, epochs } : chainOf(chains, followed);
}
