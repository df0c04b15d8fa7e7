// What a ledger does, counted from its answers and from the events that it appends.
import { type BrokenRecord, claimGone, type LedgerWatch } from '@action-ledger/application';
import { type Action, type ActionEvent } from '@action-ledger/domain';
import { createCounts } from './counts.ts';
import { type Family } from './exposition.ts';
import { createOpenActions, type OpenActions } from './open-actions.ts';

export interface LedgerCounts {
  readonly watch: Required<LedgerWatch>;
  readonly open: OpenActions;
  readonly broken: (invariant: BrokenRecord['invariant']) => void;
  readonly families: (nowMs: number) => readonly Family[];
}

export function createLedgerCounts(): LedgerCounts {
  const answers = createCounts(['word', 'repeat']);
  const settled = createCounts(['status']);
  const attempts = createCounts(['outcome', 'guarantee']);
  const verdicts = createCounts(['verdict', 'settled']);
  const invariants = createCounts(['invariant']);
  let leasesEnded = 0;
  const open = createOpenActions();
  const broken = (invariant: BrokenRecord['invariant']): void => {
    invariants.add([invariant]);
  };
  const counted = (action: Action, event: ActionEvent, isVerdict: boolean): void => {
    const outcome = isVerdict ? undefined : outcomeOf(event);
    if (outcome !== undefined) attempts.add([outcome, action.guarantee]);
    if (event.type === 'ReconciliationChecked') verdicts.add([event.data.verdict, 'false']);
    if (event.type === 'ActionReconciled') verdicts.add([event.data.verdict, 'true']);
    if (isLeaseEnd(event)) leasesEnded += 1;
    if (event.type === 'DuplicateEffectDetected') broken('effects-at-most-one');
  };
  return {
    watch: {
      onAnswer: ({ word, repeat }) => {
        answers.add([word, String(repeat)]);
      },
      onMoved: (action, events) => {
        open.note(action);
        const isVerdict = events.some(({ type }) => type === 'ActionReconciled');
        for (const event of events) counted(action, event, isVerdict);
        const status = events.map(endOf).find((end) => end !== undefined);
        if (status !== undefined) settled.add([status]);
      },
    },
    open,
    broken,
    families: (nowMs) => [
      counter('proposals_total', 'Answers to proposals, by word.', answers.samples()),
      gauge('actions_open', 'Actions that go on or need a person, by status.', open.byStatus()),
      counter('actions_ended_total', 'Actions that came to an end, by status.', settled.samples()),
      ...attemptFamilies(attempts.samples(), leasesEnded),
      ...openFamilies(open, nowMs),
      counter(
        'reconciliation_verdicts_total',
        'Verdicts about unknown outcomes, and whether each settled its action.',
        verdicts.samples(),
      ),
      counter(
        'invariants_broken_total',
        'Broken invariants that were come upon, by name.',
        invariants.samples(),
      ),
    ],
  };
}

function attemptFamilies(attempts: Family['samples'], leasesEnded: number): readonly Family[] {
  return [
    counter('attempts_total', 'Attempts that ended, by outcome and guarantee.', attempts),
    counter(
      'leases_ended_total',
      'Claims that ended with their lease, or with the process that held them.',
      [{ value: leasesEnded }],
    ),
  ];
}

function openFamilies(open: OpenActions, nowMs: number): readonly Family[] {
  return [
    gauge('unknowns', 'Unknown outcomes, by who looks after them.', open.unknownByOwner()),
    gauge('unknown_oldest_seconds', 'How long the oldest unknown outcome is unknown.', [
      { value: open.oldestUnknown(nowMs) },
    ]),
    gauge('approvals_waiting', 'Actions that wait for votes.', [
      { value: valueOf(open, 'awaiting_approval') },
    ]),
    gauge(
      'approval_oldest_seconds',
      'How long ago the oldest action that waits for votes was proposed.',
      [{ value: open.oldestApproval(nowMs) }],
    ),
    gauge('incidents_open', 'Incidents that are open.', [{ value: open.incidents() }]),
  ];
}

type Outcome = 'succeeded' | 'no_effect' | 'in_doubt' | 'not_sent';

function outcomeOf({ type, data }: ActionEvent): Outcome | undefined {
  if (type === 'ActionOutcomeUnknown') return 'in_doubt';
  if (type === 'AttemptNotSent') return 'not_sent';
  if (type === 'RetryPlanned' || type === 'AttemptRefused') return 'no_effect';
  if (type === 'ActionSucceeded' && data.attempt !== undefined && data.source === undefined)
    return 'succeeded';
  const isRefusal = type === 'ActionFailed' && data.attempt !== undefined;
  return isRefusal && data.forced === undefined ? 'no_effect' : undefined;
}

const goneReasons: ReadonlySet<string> = new Set(Object.values(claimGone));

function isLeaseEnd({ type, data }: ActionEvent): boolean {
  if (type === 'ClaimEnded') return goneReasons.has(data.reason);
  return type === 'ActionOutcomeUnknown' && data.lost === true;
}

const ends: { readonly [Type in ActionEvent['type']]?: string } = {
  ActionSucceeded: 'succeeded',
  ActionFailed: 'failed',
  ActionDenied: 'denied',
  ActionRejected: 'rejected',
  ActionExpired: 'expired',
  ActionCancelled: 'cancelled',
  ActionSuperseded: 'superseded',
  ActionCompensated: 'compensated',
  CompensationFailed: 'compensation_failed',
};

function endOf({ type, data }: ActionEvent): string | undefined {
  if (type === 'ActionReconciled' && data.verdict === 'found') return 'succeeded';
  return ends[type];
}

function valueOf(open: OpenActions, status: string): number {
  return open.byStatus().find(({ labels }) => labels?.['status'] === status)?.value ?? 0;
}

export function counter(name: string, help: string, samples: Family['samples']): Family {
  return { name: `action_ledger_${name}`, help, type: 'counter', samples };
}

export function gauge(name: string, help: string, samples: Family['samples']): Family {
  return { name: `action_ledger_${name}`, help, type: 'gauge', samples };
}

export function histogram(name: string, help: string, samples: Family['samples']): Family {
  return { name: `action_ledger_${name}`, help, type: 'histogram', samples };
}
