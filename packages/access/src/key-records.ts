// The keys on record: events of the stream `access-keys`, folded. Only hashes are kept.
import { type JsonObject, type JsonValue } from '@action-ledger/domain';
import { type DatedRecord, type RecordStreamShape } from '@action-ledger/application';
import { isRole, type Role } from './principal.ts';

export interface KeyRecord {
  readonly id: string;
  readonly hash: string;
  readonly tenant: string;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly createdAt: number;
  readonly createdBy: string;
  /** Wall-clock ms since the epoch, from when on it is refused. */
  readonly expiresAt?: number;
  readonly revoked?: { readonly at: number; readonly by: string; readonly reason: string };
}

export type KeyRecords = ReadonlyMap<string, KeyRecord>;

export const keyStream: RecordStreamShape<KeyRecords> = {
  stream: 'access-keys',
  initial: new Map(),
  evolve: (keys, record) => {
    switch (record.type) {
      case 'KeyCreated':
        return withKey(keys, created(record));
      case 'KeyRevoked': {
        const { key, reason } = record.data;
        const known = keys.get(text(key));
        if (known === undefined) return keys;
        const { at, by = '' } = record;
        return withKey(keys, { ...known, revoked: { at, by, reason: text(reason) } });
      }
      default:
        return keys;
    }
  },
};

/** What a key may do, as its event says it. */
export function creation(key: Omit<KeyRecord, 'createdAt' | 'createdBy' | 'revoked'>): JsonObject {
  const { id, hash, tenant, name, roles, expiresAt } = key;
  const data = { key: id, hash, tenant, name, roles: [...roles] };
  return expiresAt === undefined ? data : { ...data, expiresAt };
}

function created({ data, at, by = '' }: DatedRecord): KeyRecord {
  const { key, hash, tenant, name, roles, expiresAt } = data;
  return {
    id: text(key),
    hash: text(hash),
    tenant: text(tenant),
    name: text(name),
    roles: Array.isArray(roles) ? roles.filter(isRole) : [],
    createdAt: at,
    createdBy: by,
    ...(typeof expiresAt === 'number' ? { expiresAt } : {}),
  };
}

/** What is not a text, as no version has written it, opens nothing. */
function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function withKey(keys: KeyRecords, key: KeyRecord): KeyRecords {
  return new Map(keys).set(key.id, key);
}
