// Headers whose values are secrets: had at each send, never kept, and blotted out of what comes back.
import { type HeaderSecret, type HeaderValue } from './http-definition.ts';

export interface SecretHeaders {
  /** Rejects where a secret cannot be had. */
  readonly resolve: () => Promise<HadHeaders>;
}

export interface HadHeaders {
  readonly headers: Readonly<Record<string, string>>;
  /** To be blotted out, longer ones first. */
  readonly echoes: readonly string[];
}

/** @throws Error where a credential stands in the declaration itself */
export function compileSecretHeaders(
  headers: Readonly<Record<string, HeaderValue>>,
): SecretHeaders {
  const resolvers: (readonly [string, () => HeaderSecret | Promise<HeaderSecret>])[] = [];
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
      const headers: Record<string, string> = {};
      const bare: string[] = [];
      for (const [name, resolver] of resolvers) {
        const had = await resolver();
        headers[name] = typeof had === 'string' ? had : had.value;
        if (typeof had !== 'string') bare.push(had.secret);
      }
      return { headers, echoes: echoedTexts(Object.values(headers), bare) };
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

/** The whole values, the part after a scheme such as `Bearer`, and secrets without what stands before them. */
function echoedTexts(values: readonly string[], bare: readonly string[]): readonly string[] {
  return values
    .flatMap((value) => [value, value.slice(value.indexOf(' ') + 1)])
    .concat(bare)
    .filter((text) => text.length >= shortestEcho)
    .sort((a, b) => b.length - a.length);
}
