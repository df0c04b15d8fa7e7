// One external id belongs to one action of a tenant and tool. What has succeeded with it is in the index; of
// two that are told of it at once the second finds it taken: in one process by their turns, among processes by
// the first append to a stream of the id. That comes before the verdict: after a crash between the two the same
// action takes it up again, and nobody else ever gets it.
import { type Action, canonicalJson } from '@action-ledger/domain';
import { StoreFault } from '@action-ledger/event-store';
import { type Parts } from '../core/parts.ts';
import { createRecordStream } from './record-stream.ts';

/** Before the digest of tenant, tool and id. */
const streamPrefix = 'external-id-';

type IdParts = Pick<
  Parts,
  'store' | 'sha256' | 'clock' | 'runtime' | 'index' | 'crew' | 'externalIdTurns'
>;

export interface Borne {
  readonly externalId: string;
  /** It proves something: it is the action's from now on, where it is nobody's yet. */
  readonly isToBeTaken: boolean;
}

/**
 * Records what an action is told of, in the turn of the external id that it bears.
 * @param record is told whose the id is instead; undefined where it is the action's
 */
export function inTurnOfExternalId<Result>(
  parts: IdParts,
  { id: actionId, tenant, tool }: Pick<Action, 'id' | 'tenant' | 'tool'>,
  { externalId, isToBeTaken }: Borne,
  record: (ofAnother: string | undefined) => Promise<Result>,
): Promise<Result> {
  const name = canonicalJson([tenant, tool, externalId]);
  return parts.externalIdTurns(name, async () => {
    const known = parts.index.ownerOfExternalId(tenant, tool, externalId);
    const isOpen = known === undefined && isToBeTaken && parts.crew.isShared();
    const owner = isOpen ? await take(parts, name, actionId) : known;
    return record(owner === actionId ? undefined : owner);
  });
}

const unreadable = 'an action that cannot be told: the record of it is damaged';

/** @returns whose it is */
async function take(parts: IdParts, name: string, actionId: string): Promise<string> {
  const stream = createRecordStream<string | undefined>(parts, {
    stream: `${streamPrefix}${parts.sha256(name)}`,
    initial: undefined,
    evolve: (owner, { data: { action } }) => owner ?? (typeof action === 'string' ? action : owner),
  });
  try {
    const taken = await stream.change<never>('ledger', (owner) =>
      owner === undefined ? [{ type: 'ExternalIdTaken', data: { action: actionId } }] : [],
    );
    return (taken.kind === 'changed' ? taken.state : undefined) ?? unreadable;
  } catch (fault) {
    if (fault instanceof StoreFault && fault.code === 'store.corrupt') return unreadable;
    throw fault;
  }
}
