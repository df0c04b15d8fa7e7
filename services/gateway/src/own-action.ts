// An action that a principal names. One of another tenant is answered exactly as one that does not
// exist: it is loaded all the same, and only then compared, so that not even the time tells.
import { tenantOfDamaged } from '@action-ledger/application';
import { type Action, parseActionId } from '@action-ledger/domain';
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
