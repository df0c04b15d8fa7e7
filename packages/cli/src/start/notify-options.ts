// Whom `start` tells: the addresses of `--notify`, signed with the secret in a file. The secret is never
// an argument, and neither it nor an address is repeated in what is printed.
import { readFileSync } from 'node:fs';
import { createWebhook, type Endpoint, parseSecrets } from '@action-ledger/notifications';
import { type Runtime } from '@action-ledger/runtime';
import { type CliError, usageError } from '../cli-error.ts';

export interface NotifyOptions {
  readonly notify?: readonly string[];
  readonly notifySecretFile?: string;
  readonly notifyPrivate?: boolean;
}

/** @returns undefined where nobody is to be told. @throws CliError `cli.usage` */
export function endpointsOf(
  { notify = [], notifySecretFile, notifyPrivate }: NotifyOptions,
  runtime: Runtime,
): readonly Endpoint[] | undefined {
  if (notify.length === 0) {
    if (notifySecretFile === undefined) return undefined;
    throw usageError(
      '--notify-secret-file without --notify tells nobody',
      'name an address with --notify, or leave it out.',
    );
  }
  if (notifySecretFile === undefined)
    throw usageError(
      '--notify needs a secret to sign with',
      'make one: head -c 32 /dev/urandom | base64 > notify.secret; then --notify-secret-file notify.secret.',
    );
  const secrets = secretsIn(notifySecretFile);
  return [...new Set(notify)].map((url, at) => {
    try {
      return createWebhook({ url, secrets, runtime, allowPrivate: notifyPrivate === true });
    } catch (error) {
      const fix = 'give an https: address; --notify-private allows http: and private addresses.';
      throw usageError(`--notify ${at + 1}: ${messageOf(error)}`, fix);
    }
  });
}

function secretsIn(file: string): readonly Buffer[] {
  try {
    return parseSecrets(readFileSync(file, 'utf8'));
  } catch (error) {
    throw fileFault(file, messageOf(error));
  }
}

function fileFault(file: string, why: string): CliError {
  const fix = 'it holds one secret of 24 bytes or more a line: head -c 32 /dev/urandom | base64.';
  return usageError(`--notify-secret-file ${file}: ${why}`, fix);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
