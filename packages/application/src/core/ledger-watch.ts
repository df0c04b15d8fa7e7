// For metrics: what a ledger does, told as it does it, and how much of it there is now. Absent, it costs
// nothing; what is told comes on the way of a call, so it counts and returns.
import { type Action, type ActionEvent } from '@action-ledger/domain';
import { type Answer } from '../answer/answer.ts';
import { type DueIndex } from '../attend/due-index.ts';
import { type WaitingReports } from '../reports/waiting-reports.ts';
import { type SideEntry, type SideTable } from '../record/side-table.ts';

export interface LedgerWatch {
  /** Each answer to a proposal, a step of a workflow too. */
  readonly onAnswer?: (answer: Pick<Answer, 'word' | 'repeat'>) => void;
  /** Each action after an append of this process; without events where another process has moved it. */
  readonly onMoved?: (action: Action, events: readonly ActionEvent[]) => void;
}

export interface LedgerGauges {
  /** Open actions that wait for their time in the due index. */
  readonly due: number;
  /** Attempts under way in this process. */
  readonly attempts: number;
  /** Reports that match no action yet. */
  readonly reportsWaiting: number;
  /** Since the start of this process. */
  readonly suppressed: Readonly<Record<SideEntry['kind'], number>>;
}

export function gaugesOf({
  due,
  runs,
  sides,
  reports,
}: {
  readonly due: DueIndex;
  readonly runs: ReadonlyMap<string, unknown>;
  readonly sides: SideTable;
  readonly reports: Pick<WaitingReports, 'all'>;
}): LedgerGauges {
  return {
    due: due.size(),
    attempts: runs.size,
    reportsWaiting: reports.all().length,
    suppressed: sides.counts(),
  };
}
