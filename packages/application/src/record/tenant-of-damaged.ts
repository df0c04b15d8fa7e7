// Whose a damaged action is: nothing of it is shown to others, and nothing of others is written to it.
import { isJsonObject, type JsonValue, streamOfAction } from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';

/** As far as its first event can be read. */
export async function tenantOfDamaged(
  store: Pick<EventStore, 'readStream'>,
  actionId: string,
): Promise<string | undefined> {
  try {
    const [first] = await store.readStream(streamOfAction(actionId));
    return first === undefined
      ? undefined
      : tenantIn(first.type, JSON.parse(first.data) as JsonValue);
  } catch {
    return undefined;
  }
}

/** Said where an action begins, and where its record does because what came before is archived. */
function tenantIn(type: string, data: JsonValue): string | undefined {
  if (!isJsonObject(data)) return undefined;
  const says = type === 'ActionArchived' ? data['state'] : data;
  if (type !== 'ActionPlanned' && type !== 'ActionArchived') return undefined;
  const tenant = says !== undefined && isJsonObject(says) ? says['tenant'] : undefined;
  return typeof tenant === 'string' ? tenant : undefined;
}
