// What the gateway needs of the keys on record, where the ledger keeps any.
import { type KeyRecord, type KeyRing } from '@action-ledger/access';

export type KeysDoor = Pick<KeyRing, 'create' | 'list' | 'revoke'>;

/** As it may be shown. */
export function keyView({ hash: _hash, ...shown }: KeyRecord): Omit<KeyRecord, 'hash'> {
  return shown;
}
