// What createLedger takes for a ledger in another process, checked before anything is asked.
import { type Runtime } from '@action-ledger/runtime';
import type { Tool } from '@action-ledger/tools';
import { LedgerError } from '../ledger-error.ts';

/** A key that is renewed is given as a function: it is called for each request. */
export type Secret = string | (() => string | Promise<string>);

export type RemoteTools = Readonly<Record<string, Tool>>;

export interface RemoteLedgerOptions<Tools extends RemoteTools = RemoteTools> {
  /** Where the gateway answers: `https://ledger.example`. A path before `/v1` is kept. */
  readonly url: string | URL;
  /** Whose key it is decides tenant, name and roles. Without key and token: a ledger that is open to its machine. */
  readonly apiKey?: Secret;
  /** Of an identity provider, in place of a key. */
  readonly token?: Secret;
  /**
   * How long a request is tried again, in ms, beyond what its outcome is waited for. Default 30 s; 0: no
   * longer than it is waited for.
   */
  readonly retryForMs?: number;
  /** How long one try waits for an answer beyond what it asks the ledger to wait, in ms. Default 10 s. */
  readonly answerWithinMs?: number;
  /**
   * Those that this program carries out itself, beside what the ledger serves. The key needs the role
   * `worker` for them.
   */
  readonly tools?: Tools | readonly Tool[];
  /**
   * By it repeats with secret arguments are known, which never leave this process: the same in every
   * process that has the tool, and kept as long as its actions are. At least 16 characters.
   */
  readonly digestKey?: string;
  /** Something outside broke and was survived, in what this program carries out; for the log. */
  readonly onFault?: (where: string, fault: unknown) => void;
  readonly runtime?: Runtime;
  /** In place of Node's own: through a proxy, with a client certificate. Redirects must stay unfollowed. */
  readonly fetch?: typeof fetch;
}

type Name = keyof RemoteLedgerOptions;

const digestKeyMin = 16;

const wantedOf: Readonly<Record<Name, (value: unknown) => string | undefined>> = {
  url: (value) =>
    urlOf(value) === undefined
      ? 'an address of http: or https: without user, query and fragment: "https://ledger.example"'
      : undefined,
  apiKey: (value) => secret(value, 'the text of an API key'),
  token: (value) => secret(value, 'the text of a token'),
  retryForMs: (value) => milliseconds(value, 0),
  answerWithinMs: (value) => milliseconds(value, 1),
  tools: (value) =>
    typeof value === 'object' && value !== null
      ? undefined
      : 'a list of tools or an object of them: createLedger({ url, tools: { refund } })',
  digestKey: (value) =>
    typeof value === 'string' && value.length >= digestKeyMin
      ? undefined
      : `a text of at least ${digestKeyMin} characters`,
  onFault: (value) => (typeof value === 'function' ? undefined : 'a function'),
  runtime: (value) =>
    typeof value === 'object' && value !== null
      ? undefined
      : 'a Runtime, such as createSystemRuntime()',
  fetch: (value) => (typeof value === 'function' ? undefined : 'a function like fetch'),
};

export function isRemote(options: unknown): options is RemoteLedgerOptions {
  return typeof options === 'object' && options !== null && 'url' in options;
}

/** @throws LedgerError `ledger.options`, naming the option and what it must be */
export function checkRemoteOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null)
    throw wrong('createLedger needs options: createLedger({ url, apiKey }).');
  const given = options as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(wantedOf, name));
  if (unknown !== undefined)
    throw wrong(
      `"${unknown}" is no option of a ledger at a \`url\`; the process there has its own.`,
    );
  for (const name of Object.keys(wantedOf) as readonly Name[]) {
    const value = given[name];
    const wanted = value === undefined && name !== 'url' ? undefined : wantedOf[name](value);
    if (wanted !== undefined) throw wrong(`\`${name}\` must be ${wanted}.`);
  }
  if (given['apiKey'] !== undefined && given['token'] !== undefined)
    throw wrong('Give an `apiKey` or a `token`, not both.');
}

/** With a slash at its end, so that paths are put behind it. */
export function urlOf(value: unknown): URL | undefined {
  if (typeof value !== 'string' && !(value instanceof URL)) return undefined;
  if (!URL.canParse(String(value))) return undefined;
  const url = new URL(value);
  const isPlain =
    url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!isPlain || !/^https?:$/.test(url.protocol)) return undefined;
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

function secret(value: unknown, what: string): string | undefined {
  if (typeof value === 'function') return undefined;
  return isSecretText(value) ? undefined : `${what}, or a function that gives it`;
}

/** Whatever else would be cut or refused on its way, and is no key. */
function isSecretText(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);
}

/** What a function has given. @throws LedgerError `ledger.options` */
export function secretText(value: unknown): string {
  if (isSecretText(value)) return value;
  throw wrong('The function that gives `apiKey` or `token` gave no text of one.');
}

function milliseconds(value: unknown, min: number): string | undefined {
  return Number.isSafeInteger(value) && (value as number) >= min
    ? undefined
    : `a whole number of milliseconds from ${min}`;
}

function wrong(message: string): LedgerError {
  return new LedgerError('ledger.options', message);
}
