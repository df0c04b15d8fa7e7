// What the parent tells a process of the crash tests, and what that reports.
import { type Answer, type WritePoint } from '@action-ledger/client';

export interface Task {
  readonly path: string;
  /** Of the served provider. */
  readonly url: string;
  /** `load`: jobs without end. `finish`: only `again`, then close. `hold`: opens and waits. */
  readonly mode: 'load' | 'finish' | 'hold';
  readonly callers: number;
  /** Jobs that an earlier process has begun and nobody was told the end of. */
  readonly again: readonly number[];
  /** The first job that nobody has begun. */
  readonly from: number;
  /** Times its attempts take what a machine under load may need; default: short, so that waits end soon. */
  readonly isPatient?: boolean;
  /** What it does to itself as it passes the point for the nth time. */
  readonly at?: {
    readonly point: WritePoint;
    readonly nth: number;
    readonly signal: 'SIGKILL' | 'SIGSTOP';
    /** Those that pass it before stay there, so that all of them are there when it dies. */
    readonly holds?: boolean;
  };
}

export type Told = Pick<Answer, 'word' | 'state' | 'actionId' | 'externalId'>;

export type Report =
  /** About to open the file. */
  | { readonly type: 'started' }
  | { readonly type: 'opened' }
  /** About to kill or stop itself. */
  | { readonly type: 'reached'; readonly point: WritePoint }
  | { readonly type: 'begun'; readonly number: number }
  | { readonly type: 'told'; readonly number: number; readonly told: Told }
  | { readonly type: 'finished' }
  | { readonly type: 'refused'; readonly code: string; readonly message: string };
