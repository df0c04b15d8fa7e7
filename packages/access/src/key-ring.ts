// API keys: made, shown once, listed, revoked, and recognised. A key that is not known yet may have been
// made by another process, and one that is known may have been revoked there: the records are read again,
// at most so often, so that nobody can make the store work by guessing.
import { timingSafeEqual } from 'node:crypto';
import {
  createRecordStream,
  type RecordStream,
  type RecordStreamDeps,
} from '@action-ledger/application';
import { refusal, type Refusal } from '@action-ledger/domain';
import { type Clock, type Runtime } from '@action-ledger/runtime';
import { hashOfKey, keyIdOf, mintKey } from './api-key.ts';
import { createHeldKeys } from './held-keys.ts';
import { creation, type KeyRecord, type KeyRecords, keyStream } from './key-records.ts';
import { type Access, bearerToken, isRole, type Principal, type Role } from './principal.ts';

export interface KeyRequest {
  readonly tenant: string;
  /** Who holds it: it stands in events as the author. */
  readonly name: string;
  readonly roles: readonly Role[];
  /** Wall-clock ms since the epoch. */
  readonly expiresAt?: number;
  /** Who makes it. */
  readonly by: string;
}

export interface CreatedKey {
  readonly kind: 'created';
  readonly text: string;
  readonly key: KeyRecord;
}

export interface RevokedKey {
  readonly kind: 'revoked';
  readonly key: KeyRecord;
}

export const keyRefusalCodes = [
  'access.key-malformed',
  'access.key-unknown',
  'access.keys-too-many',
] as const;

export type KeyRefusalCode = (typeof keyRefusalCodes)[number];

export interface KeyRing extends Access {
  /** @returns the key's text with its record: it is nowhere else and cannot be shown again */
  create(request: KeyRequest): Promise<CreatedKey | Refusal<KeyRefusalCode>>;
  /** From now on in this process, also for those who are being answered; within `refreshMs` in others. Said twice, the first one stands. */
  revoke(request: {
    readonly id: string;
    readonly by: string;
    readonly reason: string;
    /** Only one of this tenant: another's does not exist. */
    readonly tenant?: string;
  }): Promise<RevokedKey | Refusal<KeyRefusalCode>>;
  /** Oldest first. */
  list(): Promise<readonly KeyRecord[]>;
}

export interface KeyRingOptions extends RecordStreamDeps {
  readonly runtime: Pick<Runtime, 'ids' | 'timers' | 'clock'>;
  /** How old what is known of the keys may be. */
  readonly refreshMs?: number;
}

const defaultRefreshMs = 5_000;
/** Keys on record, the revoked ones too. */
const keysMax = 10_000;
const textMax = 255;

export function createKeyRing(options: KeyRingOptions): KeyRing {
  const { sha256, clock, runtime } = options;
  const stream = createRecordStream(options, keyStream);
  const refreshMs = options.refreshMs ?? defaultRefreshMs;
  const held = createHeldKeys(runtime.timers, refreshMs, () => known.read());
  const known = createKnownKeys(stream, runtime.clock, refreshMs, held.look);
  const proven = createProven();
  /** The keys of those who were let in. */
  const keyIds = new WeakMap<Principal, string>();
  return {
    create: async (request) => {
      const misfit = misfitOf(request);
      if (misfit !== undefined) return misfit;
      const { id, text } = mintKey(runtime.ids);
      const { tenant, name, roles, expiresAt, by } = request;
      const hash = hashOfKey(sha256, text);
      const wanted = { id, hash, tenant, name, roles: [...new Set(roles)] };
      const data = creation(expiresAt === undefined ? wanted : { ...wanted, expiresAt });
      const changed = await stream.change(by, ({ size }) =>
        size < keysMax ? [{ type: 'KeyCreated', data }] : tooMany,
      );
      if (changed.kind === 'refusal') return changed;
      known.learn(changed.state);
      return { kind: 'created', text, key: keyOf(changed.state, id) };
    },
    revoke: async ({ id, by, reason, tenant }) => {
      const changed = await stream.change(by, (current) => {
        const key = current.get(id);
        if (key === undefined || (tenant !== undefined && tenant !== key.tenant))
          return refusal('access.key-unknown', `There is no key ${id}.`);
        return key.revoked === undefined ? [{ type: 'KeyRevoked', data: { key: id, reason } }] : [];
      });
      if (changed.kind === 'refusal') return changed;
      known.learn(changed.state);
      return { kind: 'revoked', key: keyOf(changed.state, id) };
    },
    list: async () => [...(await stream.load()).values()],
    authenticate: async (credentials) => {
      const text = credentials.apiKey ?? bearerToken(credentials);
      const id = text === undefined ? undefined : keyIdOf(text);
      if (text === undefined || id === undefined) return undefined;
      const key = (known.fresh() ?? (await known.read())).get(id);
      if (key === undefined) return undefined;
      let principal = proven.get(text, key);
      if (principal === undefined) {
        if (!isEqual(key.hash, hashOfKey(sha256, text))) return undefined;
        principal = principalOf(key);
        proven.add(text, key, principal);
        keyIds.set(principal, key.id);
      }
      return isGood(key, clock.nowMs()) ? principal : undefined;
    },
    whenRevoked: (principal, act) => {
      const id = keyIds.get(principal);
      return id === undefined ? () => undefined : held.hold(id, act);
    },
  };
}

interface KnownKeys {
  /** Undefined where what is known is too old, and counts for nothing: a store that is away lets nobody in. */
  fresh(): KeyRecords | undefined;
  read(): Promise<KeyRecords>;
  learn(keys: KeyRecords): void;
}

function createKnownKeys(
  stream: RecordStream<KeyRecords>,
  // A wall clock that was set ahead and stands still would let in for hours what is revoked elsewhere.
  clock: Pick<Clock, 'monoMs'>,
  refreshMs: number,
  onLearnt: (keys: KeyRecords) => void,
): KnownKeys {
  let keys: KeyRecords | undefined;
  let readAt = -Infinity;
  let reading: Promise<KeyRecords> | undefined;
  const learn = (found: KeyRecords): void => {
    keys = found;
    readAt = clock.monoMs();
    reading = undefined;
    onLearnt(found);
  };
  const read = (): Promise<KeyRecords> => {
    const mine: Promise<KeyRecords> = stream.load().then(
      (found) => {
        // What was learnt since it began is newer: a key that was revoked meanwhile stays revoked.
        if (reading === mine) learn(found);
        return keys ?? found;
      },
      (fault: unknown) => {
        if (reading === mine) reading = undefined;
        throw fault;
      },
    );
    return mine;
  };
  return {
    learn,
    fresh: () => (clock.monoMs() - readAt < refreshMs ? keys : undefined),
    read: () => (reading ??= read()),
  };
}

/** Texts whose hash was found to be that of a record; another record of the key, as after its revocation, is proven anew. */
interface Proven {
  get(text: string, key: KeyRecord): Principal | undefined;
  add(text: string, key: KeyRecord, principal: Principal): void;
}

const provenMax = 1_000;

function createProven(): Proven {
  const principals = new Map<string, { readonly key: KeyRecord; readonly principal: Principal }>();
  return {
    get: (text, key) => {
      const found = principals.get(text);
      return found?.key === key ? found.principal : undefined;
    },
    add: (text, key, principal) => {
      if (principals.size >= provenMax) principals.clear();
      principals.set(text, { key, principal });
    },
  };
}

function isGood({ revoked, expiresAt }: KeyRecord, nowMs: number): boolean {
  return revoked === undefined && (expiresAt === undefined || nowMs < expiresAt);
}

function principalOf({ name, tenant, roles, expiresAt }: KeyRecord): Principal {
  const principal = { name, tenant, roles: new Set(roles) };
  return expiresAt === undefined ? principal : { ...principal, until: expiresAt };
}

/** In the same time wherever they differ. */
function isEqual(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

function keyOf(keys: KeyRecords, id: string): KeyRecord {
  const key = keys.get(id);
  if (key === undefined) throw new Error(`the key ${id} was just recorded`);
  return key;
}

function misfitOf({ tenant, name, roles, expiresAt, by }: KeyRequest): typeof tooMany | undefined {
  for (const [what, text] of Object.entries({ tenant, name, by })) {
    const isText = text.length >= 1 && text.length <= textMax && !/\p{Cc}/u.test(text);
    if (!isText || !text.isWellFormed())
      return malformed(`A key's ${what} has 1 to ${textMax} characters, and no control character.`);
  }
  if (roles.length === 0 || !roles.every(isRole))
    return malformed('A key has at least one role: proposer, worker, approver, operator, auditor.');
  if (expiresAt !== undefined && !Number.isSafeInteger(expiresAt))
    return malformed('The time at which a key expires is a whole number of milliseconds.');
  return undefined;
}

function malformed(message: string): Refusal<KeyRefusalCode> {
  return refusal('access.key-malformed', message);
}

const tooMany: Refusal<KeyRefusalCode> = refusal(
  'access.keys-too-many',
  `There are ${keysMax} keys on record, the revoked ones too; no more are taken.`,
);
