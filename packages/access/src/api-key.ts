// The text of an API key: `alk.<id>.<secret>`. The id finds its record; the secret has 256 random bits,
// so that a plain hash of it can be kept: there is nothing to guess, and nothing to slow down.
import { type Sha256 } from '@action-ledger/domain';
import { type Ids } from '@action-ledger/runtime';

const shape = /^alk\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{44})$/;

export interface NewKey {
  readonly id: string;
  /** Shown once, to whoever made it. */
  readonly text: string;
}

export function mintKey(ids: Ids): NewKey {
  const id = ids.next();
  return { id, text: `alk.${id}.${ids.next()}${ids.next()}` };
}

/** @returns the key's id, undefined for anything that is no API key */
export function keyIdOf(text: string): string | undefined {
  return shape.exec(text)?.[1];
}

export function hashOfKey(sha256: Sha256, text: string): string {
  return sha256(`api-key ${text}`);
}
