// The gateway as a process of its own: it only records, others carry out. Settings: docs/distributed.md.
import { accessOf, overOwnCore, runProcess, stopTimes } from '@action-ledger/process';
import { createGateway } from './create-gateway.ts';

await runProcess({
  name: 'gateway',
  open: (parts) =>
    overOwnCore(parts, ({ ledger }, follower) => {
      const { settings, metrics, logger } = parts;
      const gateway = createGateway({
        ...parts,
        ...accessOf(parts),
        ledger,
        feed: parts.store,
        listen: settings,
        limits: { drainMs: stopTimes.drainMs },
        onAnswered: (answered) => {
          metrics.answered(answered);
          if (settings.accessLog) logger.info(answered, 'request');
        },
      });
      let api = '';
      return {
        start: async () => {
          ({ url: api } = await gateway.start());
        },
        stop: () => gateway.stop(),
        health: follower.health,
        urls: () => ({ api }),
      };
    }),
});
