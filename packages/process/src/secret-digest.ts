// Secret arguments enter hashes as keyed digests. All processes of a ledger share the key: with another one,
// the same call would look like another call.
import { existsSync, readFileSync } from 'node:fs';
import { keyedDigest, type SecretDigest } from '@action-ledger/client';
import { type ToolSet } from '@action-ledger/tools';
import { SetupFault } from './setup-fault.ts';

/** @throws SetupFault `settings.secret-key`: at once where the file is not good, else when a secret is met without one */
export function createSecretDigest(file: string | undefined): SecretDigest {
  if (file === undefined) return () => missing();
  return keyedDigest(readKey(file));
}

/** @throws SetupFault where a tool has secret arguments and there is no good key for them */
export function checkSecretKey(tools: ToolSet['all'], file: string | undefined): void {
  if (file !== undefined) readKey(file);
  else if (tools.some(({ declaration }) => declaration.secret.length > 0)) missing();
}

function readKey(file: string): Buffer {
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (/^[\da-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  throw new SetupFault('settings.secret-key', `${file} holds no key of 64 hex digits`, { fix });
}

function missing(): never {
  throw new SetupFault(
    'settings.secret-key',
    'a tool has secret arguments, and there is no key for them',
    {
      fix,
    },
  );
}

const fix =
  'make one for all processes: openssl rand -hex 32 > secret.key; then ACTION_LEDGER_SECRET_KEY_FILE=secret.key.';
