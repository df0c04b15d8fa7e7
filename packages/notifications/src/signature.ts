// Signs the body of a webhook by the Standard Webhooks specification (version 1, symmetric): HMAC-SHA256
// over id, timestamp and body, in base64. Several secrets give several signatures, so that a receiver
// can change over from one to the next.
import { createHmac } from 'node:crypto';

/** Bytes; the specification asks for 24 to 64. */
const secretBytesMin = 24;
const prefix = 'whsec_';

/**
 * One secret a line, the newest first: `whsec_` and base64, or any other text, taken as it is.
 * @throws Error that does not repeat the secret
 */
export function parseSecrets(text: string): readonly Buffer[] {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0) throw new Error('there is no secret in it');
  return lines.map((line, at) => {
    const encoded = line.startsWith(prefix) ? line.slice(prefix.length) : undefined;
    if (encoded !== undefined && !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded))
      throw new Error(`what follows ${prefix} in line ${at + 1} is not base64`);
    const secret = encoded === undefined ? Buffer.from(line) : Buffer.from(encoded, 'base64');
    if (secret.length < secretBytesMin)
      throw new Error(`the secret in line ${at + 1} has less than ${secretBytesMin} bytes`);
    return secret;
  });
}

export interface Signed {
  readonly id: string;
  /** Seconds since the Unix epoch, of this try. */
  readonly timestamp: number;
  readonly body: string;
}

/** The value of `webhook-signature`: `v1,…`, one for each secret, separated by blanks. */
export function signatureOf(secrets: readonly Buffer[], { id, timestamp, body }: Signed): string {
  return secrets
    .map((secret) => {
      const mac = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`);
      return `v1,${mac.digest('base64')}`;
    })
    .join(' ');
}
