// What was open before this process counts: read one by one, while others move. What moves meanwhile is noted
// by the move, and an older state is never put over a newer one.
import { type Loaded } from '@action-ledger/application';
import { type Metrics } from './metrics.ts';

export interface OpenBefore {
  openActions(): readonly string[];
  load(actionId: string): Promise<Loaded>;
}

export async function seeOpen(
  ledger: OpenBefore,
  metrics: Pick<Metrics, 'seed' | 'seeded'>,
  isStopped: () => boolean,
): Promise<void> {
  for (const actionId of ledger.openActions()) {
    if (isStopped()) return;
    const loaded = await ledger.load(actionId);
    if (loaded.kind === 'action') metrics.seed(loaded.action);
  }
  metrics.seeded();
}
