// What a tool declares about identity: which arguments define the action, which are free text, which
// must be equal on a repeat, and how far the identity reaches (DESIGN.md section 4).

import { type JsonValue } from '../json/json-value.ts';
/** Member names joined by dots, from the root of the arguments: `order.id`. Arrays are leaves. */
export type FieldPath = string;

/** Whose proposals can meet: only the same call, turn, run or conversation, or any of the tenant. */
export type Scope = 'call' | 'turn' | 'run' | 'conversation' | 'tenant';

/** Applied to the strings at a field (also inside arrays) before hashing; never to what is sent. */
export type Normalization = 'nfc' | 'trim' | 'lowercase' | 'collapse-whitespace';

export interface IdentityDeclaration {
  readonly tool: string;
  /** Raised whenever identity, scope, normalize or sets change their meaning. Starts at 1. */
  readonly identityVersion: number;
  readonly scope: Scope;
  /** `all`: every field is identity. `[]`: one entity per scope value. */
  readonly identity: 'all' | readonly FieldPath[];
  /** Text a model words differently each time: in neither hash; the first wording wins. */
  readonly free: readonly FieldPath[];
  readonly normalize: Readonly<Record<FieldPath, readonly Normalization[]>>;
  /** Arrays whose order means nothing; compared as multisets (a repeated element counts). */
  readonly sets: readonly FieldPath[];
  /** Never stored; enters the hashes only as a keyed digest. */
  readonly secret: readonly FieldPath[];
  /** Members equal to their default are left out of the canonical form. Path to default value. */
  readonly defaults: Readonly<Record<FieldPath, JsonValue>>;
}

/** Where a proposal comes from. A redelivery repeats all of it; a new call has another call id. */
export interface CallOrigin {
  readonly conversation?: string;
  readonly run?: string;
  readonly turn?: string;
  /** The provider's tool-call id. Without it a proposal counts as a redelivery. */
  readonly call?: string;
}
