// What of an attempt that runs only the holder of its claim may say.
import { type Action, type ActionEvent } from '@action-ledger/domain';

const ofTheHolder: ReadonlySet<string> = new Set([
  'RetryPlanned',
  'AttemptNotSent',
  'AttemptRefused',
  'ActionFailed',
]);

/** What only the holder of the claim may say. */
export function isOfItsHolder({ status, reportedSuccess }: Action, event: ActionEvent): boolean {
  if (status !== 'dispatched') return false;
  // What was proven by others is told by whoever settles the attempt.
  if (event.type === 'ActionSucceeded') return reportedSuccess === undefined;
  if (event.type === 'ActionOutcomeUnknown') return event.data.lost !== true;
  return ofTheHolder.has(event.type);
}
