// A key that is made where the streams of the distributed size are: whoever may write to the store is the owner.
import { createKeyRing, type CreatedKey, type KeyRequest } from '@action-ledger/access';
import { openStore, readStoreSettings } from '@action-ledger/process';
import { CliError } from '../cli-error.ts';
import { type Io } from '../io.ts';
import { sha256 } from '../sha256.ts';

/** @throws CliError what is refused, SetupFault where no store is named, StoreFault where it does not answer */
export async function createKeyInStore(
  { env, runtime }: Io,
  request: KeyRequest,
): Promise<Pick<CreatedKey, 'text' | 'key'>> {
  const store = await openStore(readStoreSettings(env), runtime);
  try {
    const clock = { nowMs: () => runtime.clock.wallMs() };
    const made = await createKeyRing({ store, sha256, clock, runtime }).create(request);
    if (made.kind === 'created') return { text: made.text, key: made.key };
    throw new CliError(made.code, made.message, {
      fix: 'docs/errors.md says what to do about it.',
    });
  } finally {
    await store.close();
  }
}
