// Headers whose values are secrets: had at each send, never kept, and blotted out of what comes back.
import { type HeaderValue } from './http-definition.ts';

export interface SecretHeaders {
  /** Rejects where a secret cannot be had. */
  readonly resolve: () => Promise<Readonly<Record<string, string>>>;
}

/** @throws Error where a credential stands in the declaration itself */
export function compileSecretHeaders(
  headers: Readonly<Record<string, HeaderValue>>,
): SecretHeaders {
  const resolvers: (readonly [string, () => string | Promise<string>])[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) throw new Error(`"${name}" is no header name`);
    if (forbidden.has(name.toLowerCase()))
      throw new Error(`header "${name}" is set by the client itself`);
    if (typeof value === 'function') resolvers.push([name.toLowerCase(), value]);
    else if (credentials.has(name.toLowerCase()))
      throw new Error(
        `header "${name}" is a credential: give a function that returns it, so that it is stored nowhere`,
      );
  }
  return {
    resolve: async () => {
      const resolved: Record<string, string> = {};
      for (const [name, secret] of resolvers) resolved[name] = await secret();
      return resolved;
    },
  };
}

const credentials = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-api-key',
  'api-key',
  'x-auth-token',
]);
const forbidden = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'expect',
  'upgrade',
  'te',
  'trailer',
]);

/** Shorter texts would blot out unrelated text. */
const shortestEcho = 8;

/** The whole value, and the part after a scheme such as `Bearer`. */
export function echoedTexts(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.values(headers)
    .flatMap((value) => [value, value.slice(value.indexOf(' ') + 1)])
    .filter((text) => text.length >= shortestEcho);
}
