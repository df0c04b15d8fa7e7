// One action with its events, folded as far as its stream holds together.
import { foldAction } from '@action-ledger/codec';
import { type Action, type Sha256 } from '@action-ledger/domain';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import { CliError } from '../cli-error.ts';
import { findAction, shortId } from './find-action.ts';

export interface LoadedAction {
  readonly action: Action;
  readonly events: readonly RecordedEvent[];
}

/**
 * @param file what names the ledger in a command
 * @throws CliError `action.unknown`, `action.ambiguous`, `stream.broken`
 */
export async function loadAction(
  store: EventStore,
  typed: string,
  sha256: Sha256,
  file = '',
): Promise<LoadedAction> {
  const actionId = await findAction(store, typed, file);
  const stream = `action-${actionId}`;
  const events = await store.readStream(stream);
  const folded = foldAction(sha256, stream, events);
  if (folded.kind === 'broken') {
    throw new CliError(
      'stream.broken',
      `the record of ${shortId(actionId)} is damaged at revision ${folded.revision}: ${folded.reason}`,
      {
        fix: `\`action-ledger replay ${shortId(actionId)}${file}\` shows what can still be read, \`action-ledger verify${file}\` what else is damaged. Nothing in it runs; compare it with a backup.`,
      },
    );
  }
  return { action: folded.action, events };
}
