// `action-ledger recover`: what a ledger that went back in time lacks, and a person's word for it.
import { confirmRecovery, surveyGap } from '@action-ledger/application';
import { openSqliteEventStore, type SqliteEventStore } from '@action-ledger/event-store-sqlite';
import { type Cli } from '../cli.ts';
import { usageError } from '../cli-error.ts';
import { dateTime, isoTime } from '../format/time.ts';
import { ledgerPath, type PathOption } from '../ledger-file/ledger-path.ts';
import { readLedger } from '../ledger-file/read-ledger.ts';
import { sha256 } from '../sha256.ts';
import { findLoss, lostActions } from './find-loss.ts';
import { lossJson, lossText } from './print-loss.ts';

export interface RecoverCommand extends PathOption {
  readonly tools?: string;
  readonly confirm?: boolean;
  readonly by?: string;
  readonly reason?: string;
  readonly nothingLost?: boolean;
  readonly json?: boolean;
}

export async function recover(cli: Cli, options: RecoverCommand): Promise<void> {
  const { confirm, by, reason, nothingLost } = options;
  if (confirm === true) {
    await confirmNow(cli, options);
    return;
  }
  if (by !== undefined || reason !== undefined || nothingLost === true)
    throw usageError('--by, --reason and --nothing-lost go with --confirm', 'say --confirm too.');
  await readLedger(cli.io, options, async (store, path) => {
    const loss = await findLoss(cli, store, path, options.tools);
    if (options.json === true) cli.json(lossJson(path, loss));
    else cli.io.out(lossText(cli, path, loss));
    if (loss.gap.condition.kind === 'recovering') cli.end(1);
  });
}

async function confirmNow(cli: Cli, options: RecoverCommand): Promise<void> {
  const { by = '', reason = '', nothingLost = false, json } = options;
  if (by.trim() === '' || reason.trim() === '')
    throw usageError(
      'a recovery is confirmed by a person, with a reason',
      'say --by NAME and --reason "what was found out".',
    );
  const { runtime } = cli.io;
  const path = ledgerPath(cli.io, options);
  // There is a file, and a ledger's: opening for writing would make one.
  const lost = await readLedger(cli.io, options, lostIn);
  const store = await openSqliteEventStore({ path, runtime });
  try {
    const confirmed = await confirmRecovery(
      { store, runtime, sha256 },
      { by, reason, nothingLost, lost },
    );
    if (json === true) {
      const known =
        confirmed === undefined ? {} : { knownUntil: isoTime(confirmed.gap.knownUntil) };
      cli.json({ path, condition: 'ready', recovery: confirmed?.recovery ?? null, ...known });
      return;
    }
    if (confirmed === undefined) {
      cli.io.out(`${path} is not recovering: nothing was recorded.\n`);
      return;
    }
    const doubt = nothingLost
      ? 'Nothing is in doubt for it.'
      : `What may have been done after ${dateTime(confirmed.gap.knownUntil)} UTC is in doubt: it is looked up, sent again where that is safe, or waits for a person.`;
    cli.io.out(
      `${cli.style.good('Ready.')} ${by} is on record for it in ${confirmed.recovery}.\n${doubt}\n`,
    );
  } finally {
    await store.close();
  }
}

/** Those that are listed as missing. */
async function lostIn(store: SqliteEventStore, path: string): Promise<readonly string[]> {
  if (store.condition().kind === 'ready') return [];
  const { endedAt } = await surveyGap(store);
  return (await lostActions(store, path, endedAt)).actions.map(({ action }) => action);
}
