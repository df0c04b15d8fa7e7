// The only truth about what happened outside: every effect that the provider has committed, and how
// many there are per downstream key.
import { createHash } from 'node:crypto';
import { type JsonObject, type JsonValue } from '@action-ledger/domain';
import { type ProviderRequest } from './wire.ts';

export interface Effect {
  /** The provider's own id. */
  readonly id: string;
  readonly tenant: string;
  readonly tool: string;
  /** The downstream key it came with. */
  readonly key: string;
  readonly attempt: number;
  readonly arguments: JsonObject;
  readonly result: JsonValue;
  /** What an absolute write has set; undefined for all others. */
  readonly entity: string | undefined;
  /** The provider's clocks. */
  readonly wallMs: number;
  readonly monoMs: number;
}

export interface KeyTally {
  readonly tenant: string;
  readonly tool: string;
  readonly key: string;
  /** That arrived, whatever became of them. */
  readonly requests: number;
  /** Writes of one absolute value count as one: its end state. */
  readonly effects: number;
  readonly externalIds: readonly string[];
}

/** A request that has reached the provider. */
export interface Arrival {
  readonly request: ProviderRequest;
  /** The provider's monotonic clock. */
  readonly monoMs: number;
}

export interface EffectBook {
  arrived(request: ProviderRequest, monoMs: number): void;
  commit(effect: Omit<Effect, 'id'>): Effect;
  /** The newest ones, in order of arrival. */
  readonly arrivals: readonly Arrival[];
  /** In the order they were committed. */
  readonly effects: readonly Effect[];
  /** Those of one downstream key. */
  readonly ofKey: (tenant: string, key: string) => readonly Effect[];
  /** The write that an entity's present value comes from. */
  readonly endState: (tenant: string, tool: string, entity: string) => Effect | undefined;
  readonly tally: () => readonly KeyTally[];
  readonly tallyOf: (tenant: string, key: string) => KeyTally | undefined;
}

interface Account {
  readonly tenant: string;
  readonly tool: string;
  readonly key: string;
  requests: number;
  readonly effects: Effect[];
}

export function createEffectBook(arrivalsMax: number): EffectBook {
  const arrivals: Arrival[] = [];
  const effects: Effect[] = [];
  const accounts = new Map<string, Account>();
  const states = new Map<string, Effect>();
  const accountOf = (of: Pick<ProviderRequest, 'tenant' | 'tool' | 'key'>): Account => {
    const name = nameOf(of.tenant, of.key);
    const account = accounts.get(name) ?? newAccount(of);
    accounts.set(name, account);
    return account;
  };
  return {
    arrivals,
    effects,
    arrived(request, monoMs) {
      accountOf(request).requests += 1;
      arrivals.push({ request, monoMs });
      if (arrivals.length > arrivalsMax) arrivals.splice(0, Math.ceil(arrivalsMax / 2));
    },
    commit(unnamed) {
      const account = accountOf(unnamed);
      const nth = unnamed.entity === undefined ? account.effects.length : 0;
      const effect = { ...unnamed, id: externalId(account, nth) };
      effects.push(effect);
      account.effects.push(effect);
      if (effect.entity !== undefined) {
        states.set(nameOf(effect.tenant, effect.tool, effect.entity), effect);
      }
      return effect;
    },
    ofKey: (tenant, key) => accounts.get(nameOf(tenant, key))?.effects ?? [],
    endState: (tenant, tool, entity) => states.get(nameOf(tenant, tool, entity)),
    tally: () => [...accounts.values()].map(tallyOfAccount),
    tallyOf: (tenant, key) => {
      const account = accounts.get(nameOf(tenant, key));
      return account === undefined ? undefined : tallyOfAccount(account);
    },
  };
}

function newAccount({
  tenant,
  tool,
  key,
}: Pick<ProviderRequest, 'tenant' | 'tool' | 'key'>): Account {
  return { tenant, tool, key, requests: 0, effects: [] };
}

function nameOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

/** The same in every process, and another one for each effect of a key; the same state is one effect. */
function externalId({ tenant, tool, key }: Account, nth: number): string {
  const digest = createHash('sha256').update(nameOf(tenant, tool, key, String(nth)));
  return `sbx_${digest.digest('base64url').slice(0, 20)}`;
}

function tallyOfAccount({ tenant, tool, key, requests, effects }: Account): KeyTally {
  const absolute = effects.some((effect) => effect.entity !== undefined);
  return {
    tenant,
    tool,
    key,
    requests,
    effects: absolute ? Math.min(effects.length, 1) : effects.length,
    externalIds: [...new Set(effects.map((effect) => effect.id))],
  };
}
