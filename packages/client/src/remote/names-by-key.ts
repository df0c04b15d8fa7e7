// Who asks, and for which tenant, is known by the key alone. A program that names somebody else would be
// believed by an embedded ledger; here it is told that this cannot be said, rather than not heard.
import { LedgerError } from '../ledger-error.ts';

type Named = 'by' | 'tenant' | 'voter';

export type WithoutNames<Request> = Omit<Request, Named>;

const named = ['by', 'tenant', 'voter'] as const satisfies readonly Named[];

/** @throws LedgerError `ledger.not-remote` */
export function noNames(what: string, request: unknown): void {
  if (typeof request !== 'object' || request === null) return;
  const name = named.find(
    (each) => (request as Readonly<Record<string, unknown>>)[each] !== undefined,
  );
  if (name === undefined) return;
  throw notRemote(
    `\`${name}\` of ${what} cannot be said over HTTP: tenant and names come from the key. Open a ledger with the key of whoever asks.`,
  );
}

export function notRemote(message: string): LedgerError {
  return new LedgerError('ledger.not-remote', message);
}
