// A ledger that answers over HTTP: asked by the SDK, as a program would ask it.
import {
  createLedger,
  LedgerError,
  RemoteFault,
  type RemoteLedger,
} from '@action-ledger/client/remote';
import { CliError } from '../cli-error.ts';
import { type Io } from '../io.ts';

/** A person waits: not as long as a program would. */
const retryForMs = 5_000;

/** @throws CliError */
export async function askLedgerAt<Told>(
  io: Io,
  url: string,
  ask: (ledger: RemoteLedger) => Promise<Told>,
): Promise<Told> {
  const apiKey = io.env['ACTION_LEDGER_API_KEY'];
  const key = apiKey === undefined || apiKey === '' ? {} : { apiKey };
  try {
    const ledger = await createLedger({ url, ...key, retryForMs, runtime: io.runtime });
    const told = await ask(ledger);
    await ledger.close();
    return told;
  } catch (fault) {
    if (fault instanceof RemoteFault || fault instanceof LedgerError)
      throw new CliError(fault.code, fault.message.replace(/\.$/, ''), {
        fix: 'is it the address that `action-ledger start` has printed, and is ACTION_LEDGER_API_KEY a key of it?',
        cause: fault,
      });
    throw fault;
  }
}
