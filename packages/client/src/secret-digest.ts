// Secret arguments enter hashes as keyed digests: whoever reads a stream cannot try out what they were. The key
// lies beside the ledger's file, so that repeats are known after a restart.
import { createHmac, hash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type ToolSet } from '@action-ledger/tools';

export type SecretDigest = (field: string, text: string) => string;

/** Of one key, which the digests name, so that another key is seen to be another. */
export function keyedDigest(key: Buffer): SecretDigest {
  const id = hash('sha256', key.toString('hex'), 'hex').slice(0, 8);
  return (field, text) => {
    const digest = createHmac('sha256', key).update(field).update('\0').update(text);
    return `${id}:${digest.digest('base64url')}`;
  };
}

/** @param path of the ledger's file; undefined: the key is forgotten with the process */
export function createSecretDigest(path: string | undefined, tools: ToolSet): SecretDigest {
  let known: SecretDigest | undefined;
  const digest = (): SecretDigest => (known ??= keyedDigest(secretKey(path)));
  // Tools of callers are declared later: the first of them makes the key.
  if (tools.all.some(({ declaration }) => declaration.secret.length > 0)) digest();
  return (field, text) => digest()(field, text);
}

function secretKey(path: string | undefined): Buffer {
  if (path === undefined) return randomBytes(32);
  const file = `${path}.digest-key`;
  if (!existsSync(file))
    writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' });
  return Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
}
