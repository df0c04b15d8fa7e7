// The notifier as a process of its own. Settings: docs/distributed.md.
import { endpointsOf, runProcess } from '@action-ledger/process';
import { createNotifier } from './create-notifier.ts';

await runProcess({
  name: 'notifier',
  open: (parts) => {
    const notifier = createNotifier({ ...parts, endpoints: endpointsOf(parts) });
    parts.metrics.attach({ notifications: () => notifier.counts() });
    return notifier;
  },
});
