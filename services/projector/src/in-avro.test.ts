// A projector that writes Avro: whose stream an event is in stands in each record, also where the projector was
// started long after that was said.
import { hash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { createDecoders, encodersAsAvro } from '@action-ledger/avro';
import { createLedger, defineTool } from '@action-ledger/client';
import { actionTopics, createMemoryEventLog, type LogRecord } from '@action-ledger/event-log';
import { createMemoryEventStore } from '@action-ledger/event-store';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { z } from 'zod';
import { createProjector } from './index.ts';

const pay = defineTool({
  name: 'pay',
  input: z.object({ invoice: z.string() }),
  guarantee: 'manual',
  execute: ({ arguments: { invoice }, beforeSend }) => {
    beforeSend();
    return { paid: invoice };
  },
});

it('says of each event of an action or a workflow whose it is, and of others no more than their place', async () => {
  const runtime = createVirtualRuntime({ settling: 'quiet' });
  const memory = createMemoryEventStore();
  const store = { ...memory, close: async () => undefined };
  const log = createMemoryEventLog({ runtime });
  const ledger = await createLedger({ store, runtime, tools: { pay } });
  const published: LogRecord[] = [];
  await log.consume({
    group: 'analytics',
    topics: [actionTopics.events, actionTopics.state],
    from: 'start',
    handler: async (some) => void published.push(...some),
  });
  const one = projector('one');
  await one.start();
  await passing(ledger.pause({ tool: 'none', by: 'ann', reason: 'the bank is down' }));
  await passing(ledger.tools.pay.call({ invoice: 'i-1' }, { run: 'r', tenant: 'acme' }));
  const { workflows } = ledger;
  const started = await passing(workflows.start({ id: 'w', tenant: 'umbrella' }));
  const id = started.kind === 'started' ? started.workflow.id : '';
  await passing(one.stop());
  await projector('another').start();
  const hotel = { step: 's', tool: 'pay', arguments: { invoice: 'i-2' } };
  await passing(workflows.step(id, { ...hotel, compensate: 'not needed' }));
  await passing(workflows.complete(id, 1));
  await runtime.advance(20_000);

  const decode = createDecoders();
  const valuesOf = (name: string) =>
    published.flatMap(({ topic, value }) => (topic === name && value !== undefined ? [value] : []));
  const events = valuesOf(actionTopics.events).map(decode.event);
  const tenantsOf = (start: string) => [
    ...new Set(events.filter(({ stream }) => stream.startsWith(start)).map((each) => each.tenant)),
  ];
  expect(tenantsOf('action-')).toStrictEqual(['acme', 'umbrella']);
  expect(tenantsOf('workflow-')).toStrictEqual(['umbrella']);
  expect(tenantsOf('pauses')).toStrictEqual([undefined]);
  const kept = events.filter(({ payload }) => payload === undefined).map(({ stream }) => stream);
  expect(kept).toEqual(['tool-pay', 'pauses']);
  const states = valuesOf(actionTopics.state).map(decode.state);
  const done = new Map(states.map(({ actionId, status, tenant }) => [actionId, [status, tenant]]));
  expect([...done.values()]).toEqual([
    ['succeeded', 'acme'],
    ['succeeded', 'umbrella'],
  ]);
  await passing(ledger.close());
  await log.close();

  function projector(instance: string) {
    return createProjector({
      store,
      log,
      instance,
      runtime,
      encode: encodersAsAvro(),
      sha256: (text) => hash('sha256', text, 'base64url'),
      clock: { nowMs: () => runtime.clock.wallMs() },
    });
  }

  async function passing<Result>(work: Promise<Result>): Promise<Result> {
    await runtime.advance(1_000);
    return work;
  }
});
