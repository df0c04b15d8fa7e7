// An action of a ledger that answers over HTTP, as it is shown to callers.
import { type Action } from '@action-ledger/domain';
import { CliError, usageError } from '../cli-error.ts';
import { type Io } from '../io.ts';
import { askLedgerAt } from '../ledger-file/ledger-at.ts';

/** Without what only its ledger needs to know. @throws CliError */
export async function actionAt(
  io: Io,
  url: string,
  actionId: string,
  { archive }: { readonly archive?: string },
): Promise<Action> {
  if (archive !== undefined)
    throw usageError('--archive is not read over HTTP', 'ask on the machine of the files.');
  const found = await askLedgerAt(io, url, (ledger) => ledger.load(actionId));
  if (found.kind === 'broken')
    throw new CliError('stream.broken', `the record of ${actionId} is damaged`, {
      fix: '`action-ledger verify` on the machine of the ledger says what is wrong.',
    });
  const { action } = found;
  if (action.revision < 0)
    throw new CliError('action.unknown', `there is no action ${actionId}`, {
      fix: 'over HTTP the whole id is needed: `action-ledger actions list --url` shows it.',
    });
  return { secret: false, ...action } as Action;
}
