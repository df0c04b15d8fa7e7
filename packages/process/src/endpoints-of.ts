// Whom the notifier of a process tells, and what it signs with.
import { readFileSync } from 'node:fs';
import { createWebhook, type Endpoint, parseSecrets } from '@action-ledger/notifications';
import { type ProcessParts } from './process-parts.ts';
import { SetupFault } from './setup-fault.ts';

/** @throws SetupFault `settings.invalid` */
export function endpointsOf({
  settings: { notifyUrls, notifySecretFile, notifyPrivate },
  runtime,
}: Pick<ProcessParts, 'settings' | 'runtime'>): readonly Endpoint[] {
  if (notifyUrls === undefined || notifySecretFile === undefined)
    throw fault('nobody is named whom to tell', 'ACTION_LEDGER_NOTIFY_URLS=https://…');
  try {
    const secrets = parseSecrets(readFileSync(notifySecretFile, 'utf8'));
    return [...new Set(notifyUrls)].map((url) =>
      createWebhook({ url, secrets, runtime, allowPrivate: notifyPrivate }),
    );
  } catch (error) {
    throw fault(
      error instanceof Error ? error.message : String(error),
      'give https: addresses, and a file with one secret of 24 bytes or more a line.',
    );
  }
}

function fault(message: string, fix: string): SetupFault {
  return new SetupFault('settings.invalid', message, { fix });
}
