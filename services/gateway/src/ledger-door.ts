// What the gateway needs of a ledger: a structural part of the application's `Ledger`, so that the
// embedded one, and one behind another process, both fit.
import { type Ledger } from '@action-ledger/application';

export type LedgerDoor = Pick<
  Ledger,
  | 'propose'
  | 'vote'
  | 'cancel'
  | 'settle'
  | 'repeat'
  | 'edit'
  | 'reportAbout'
  | 'waitingReports'
  | 'closeIncident'
  | 'checkNow'
  | 'explain'
  | 'load'
  | 'rest'
  | 'list'
  | 'unknowns'
  | 'sideEntries'
  | 'observes'
  | 'observed'
  | 'pause'
  | 'resume'
  | 'pauses'
  | 'workflows'
  | 'callers'
>;
