// An action that a principal names. One of another tenant is answered exactly as one that does not
// exist: it is loaded all the same, and only then compared, so that not even the time tells.
import {
  type Action,
  isJsonObject,
  type JsonValue,
  parseActionId,
  streamOfAction,
} from '@action-ledger/domain';
import { type HttpAnswer, problem } from './answers/http-answer.ts';
import { type Door } from './route.ts';

export type OwnAction =
  | { readonly kind: 'own'; readonly action: Action }
  | { readonly kind: 'no'; readonly answer: HttpAnswer };

const unknown: OwnAction = { kind: 'no', answer: problem('action.unknown') };
const broken: OwnAction = { kind: 'no', answer: problem('stream.broken') };

export async function ownAction(
  { ledger, feed }: Pick<Door, 'ledger' | 'feed'>,
  tenant: string,
  actionId: string,
): Promise<OwnAction> {
  if (parseActionId(actionId) === undefined) return unknown;
  const loaded = await ledger.load(actionId);
  if (loaded.kind === 'broken')
    return (await tenantOfDamaged(feed, actionId)) === tenant ? broken : unknown;
  const { action } = loaded;
  return isThere(action) && action.tenant === tenant ? { kind: 'own', action } : unknown;
}

/** A name that is only kept from being taken is no action. */
function isThere({ status }: Action): boolean {
  return status !== 'new' && status !== 'reserved';
}

/** As far as its first event can be read. */
async function tenantOfDamaged(
  feed: Pick<Door['feed'], 'readStream'>,
  actionId: string,
): Promise<string | undefined> {
  try {
    const [first] = await feed.readStream(streamOfAction(actionId));
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
