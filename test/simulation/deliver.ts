// What carries things on between the parts of a run: events to the log, webhooks of the provider to the ledger.
import { actionTopics, headersOfEvent, type MemoryEventLog } from '@action-ledger/event-log';
import { type EventStore } from '@action-ledger/event-store';
import { type Ledger } from '@action-ledger/client';
import { type LookupQuery, type Webhook } from '@action-ledger/sandbox';
import { type VirtualRuntime } from '@action-ledger/testkit/virtual-runtime';
import { type Disturbed } from './disturb.ts';
import { type Processes } from './processes.ts';

/** As providers do: until it is taken, or they give up. */
export async function deliverWebhook(
  { key, tenant, tool, externalId, result }: Webhook,
  { time, front }: { readonly time: VirtualRuntime; readonly front: Processes['front'] },
): Promise<void> {
  for (let tries = 0; tries < 6; tries += 1) {
    try {
      const report = { source: 'webhook', claims: 'success', proven: true, data: result } as const;
      const taken = await front(tries)?.reportAbout({
        tenant,
        tool,
        downstreamKey: key,
        externalId,
        ...report,
      });
      if (taken !== undefined) return;
    } catch {
      // Not taken: it comes again.
    }
    await new Promise<void>((resolve) => void time.timers.after(10_000 * 2 ** tries, resolve));
  }
}

/** What the projector does in the distributed size: every event goes on the log, some time later. */
export async function publishAll(
  store: EventStore,
  log: MemoryEventLog,
  { time, dice, chaos }: Omit<Disturbed, 'processes'>,
): Promise<void> {
  const publisher = await log.openPublisher();
  store.subscribe(0, {
    onEvents: async (events) => {
      const place = String(events.at(-1)?.position ?? 0);
      const ms = dice.between(0, 40, 'published', place);
      await new Promise<void>((resolve) => void time.timers.after(ms, resolve));
      if (chaos.strikes('log: gap of offsets', 0.005, place))
        log.leaveGap({ topic: actionTopics.events, partition: 0 }, 3);
      await publisher.publish(
        events.map(({ id: eventId, data, metadata, ...at }) => ({
          topic: actionTopics.events,
          key: at.stream,
          value: Buffer.from(`{"data":${data},"metadata":${metadata}}`),
          headers: headersOfEvent({ eventId, ...at }),
        })),
      );
    },
  });
}

/** Somebody has heard of it, and proves nothing. */
export async function remark(
  { tenant, tool, key }: LookupQuery,
  there: Ledger | undefined,
): Promise<void> {
  const said = {
    source: 'support',
    claims: 'note',
    proven: false,
    data: 'a customer asks',
  } as const;
  await there?.reportAbout({ tenant, tool, downstreamKey: key, ...said }).catch(() => undefined);
}
