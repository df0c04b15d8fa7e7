// Secret fields enter hashes as keyed digests; the key lies beside the ledger's file. Explaining only
// reads it: without the file there is no recorded hash that it could meet.
import { createHmac, hash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';

export function digestSecrets(ledgerPath: string): (path: string, text: string) => string {
  const file = `${ledgerPath}.digest-key`;
  const key = existsSync(file)
    ? Buffer.from(readFileSync(file, 'utf8').trim(), 'hex')
    : randomBytes(32);
  const id = hash('sha256', key.toString('hex'), 'hex').slice(0, 8);
  return (path, text) =>
    `${id}:${createHmac('sha256', key).update(path).update('\0').update(text).digest('base64url')}`;
}
