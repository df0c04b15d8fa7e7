// A projector beside the bare produce rate of the same client, into the same broker.
import { type EventLog } from '@action-ledger/event-log';
import { type Runtime } from '@action-ledger/runtime';
import { payActions } from '../../sizing/actions.ts';
import { publishBare, publishByProjector } from '../../sizing/publish.ts';
import { type DistributedRow } from './report.ts';
import { inRounds, medianOf } from './rounds.ts';

export interface PublishingDeps {
  readonly rounds: number;
  /** Whose events are published. */
  readonly actions: number;
  /** Topics of its own for each of them. */
  readonly openLog: (name: string) => Promise<EventLog>;
  readonly runtime: Runtime;
}

const partLeast = 0.4;

export async function measurePublishing(deps: PublishingDeps): Promise<readonly DistributedRow[]> {
  const { rounds, actions, runtime } = deps;
  const { events } = await payActions('by an executor', actions);
  const measured = await inRounds(rounds, ['both'], async (_, round) => {
    const log = await deps.openLog(`publishing-${round}.`);
    const { records, ms } = await publishByProjector(log, events, runtime);
    const bareMs = await publishBare(log, records, runtime);
    await log.close();
    const perSecond = (took: number): number => (records.length / took) * 1_000;
    return { projected: perSecond(ms), bare: perSecond(bareMs) };
  });
  const value = (pick: (both: { projected: number; bare: number }) => number): number =>
    medianOf(measured, ({ both }) => pick(both));
  const row = { work: 'distributed', unit: '/s' } as const;
  return [
    { ...row, what: 'records sent bare', value: value(({ bare }) => bare) },
    { ...row, what: 'records by a projector', value: value(({ projected }) => projected) },
    {
      ...row,
      what: 'projector / sent bare',
      unit: 'ratio',
      value: value(({ projected, bare }) => projected / bare),
      goal: { least: partLeast },
    },
  ];
}
