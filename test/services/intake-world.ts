// What tests of the intake publish and read: proposals of one tool, their dead letters, and the actions.
import { actionOfStream } from '@action-ledger/domain';
import {
  actionTopics,
  deadLetterFactsOf,
  deadLetterTopicOf,
  type LogRecord,
  type NewRecord,
} from '@action-ledger/event-log';
import { createIntake, type IntakeDeps } from '@action-ledger/intake';
import { decodeJsonProposal } from '@action-ledger/proposals';
import { defineTool, type Tool, type ToolDefinition } from '@action-ledger/tools';
import { z } from 'zod';
import { type ServicesWorld, sha256 } from './world.ts';

const input = z.object({ invoice: z.string(), cents: z.int().optional() });

type Pay = ToolDefinition<z.output<typeof input>>;

/** Identity is the invoice. What it was called with is in `sent`; `slow…` is answered by nobody. */
export function payTool(sent: string[] = [], more: Partial<Pay> = {}): Tool {
  return defineTool({
    name: 'pay',
    input,
    identity: ['invoice'],
    scope: 'tenant',
    guarantee: 'manual',
    execute: async ({ arguments: { invoice }, beforeSend }) => {
      beforeSend();
      sent.push(invoice);
      if (invoice.startsWith('slow')) await new Promise(() => undefined);
      return { paid: invoice };
    },
    ...more,
  });
}

export interface Published {
  readonly id?: string;
  readonly invoice?: string;
  readonly run?: string;
  readonly members?: Readonly<Record<string, unknown>>;
  readonly record?: Partial<NewRecord>;
}

export async function publish({ log }: ServicesWorld, ...given: readonly Published[]) {
  const publisher = await log.openPublisher();
  await publisher.publish(given.map(recordOf));
  await publisher.close();
}

function recordOf({
  invoice = 'i-1',
  id = `p-${invoice}`,
  run = 'run-1',
  members = {},
  record = {},
}: Published): NewRecord {
  const proposal = {
    ...{ proposalId: id, tenant: 'acme', by: 'planner', tool: 'pay' },
    ...{ arguments: { invoice }, run, turn: '1' },
    ...members,
  };
  const value = Buffer.from(JSON.stringify(proposal));
  return { topic: actionTopics.proposals, key: run, value, ...record };
}

export function intakeOf(
  world: ServicesWorld,
  more: Partial<IntakeDeps> = {},
  own: Parameters<ServicesWorld['depsOf']>[1] = {},
  instance = 'intake',
) {
  const { core, log, runtime, onFault } = world.depsOf(instance, own);
  return createIntake({
    ...{ core, log, runtime, sha256, decode: decodeJsonProposal },
    ...(onFault === undefined ? {} : { onFault }),
    ...more,
  });
}

export async function lagOf({ log }: ServicesWorld): Promise<number> {
  const lags = await log.lag('intake', [actionTopics.proposals]);
  return lags.reduce((sum, { lag }) => sum + lag, 0);
}

/** Of each, `code: reason`; in the order in which they were put aside within a partition. */
export async function putAside(world: ServicesWorld): Promise<readonly string[]> {
  return (await deadLetters(world)).map((letter) => deadLetterFactsOf(letter)?.reason ?? '?');
}

let groups = 0;

export async function deadLetters({ log, runtime }: ServicesWorld): Promise<readonly LogRecord[]> {
  const letters: LogRecord[] = [];
  const consumer = await log.consume({
    group: `letters-${groups++}`,
    topics: [deadLetterTopicOf(actionTopics.proposals)],
    from: 'start',
    handler: async (records) => {
      letters.push(...records);
    },
  });
  await runtime.settle();
  await consumer.close();
  return letters;
}

export interface Recorded {
  readonly id: string;
  readonly types: readonly string[];
  readonly planned: Readonly<Record<string, unknown>>;
}

/** In the order in which they were recorded. */
export async function actions({ store }: ServicesWorld): Promise<readonly Recorded[]> {
  const ids = new Set(store.events().flatMap(({ stream }) => actionOfStream(stream) ?? []));
  return Promise.all(
    [...ids].map(async (id) => {
      const events = await store.readStream(`action-${id}`);
      const planned = JSON.parse(events[0]?.data ?? '{}') as Recorded['planned'];
      return { id, types: events.map(({ type }) => type), planned };
    }),
  );
}

export async function invoices(world: ServicesWorld): Promise<readonly unknown[]> {
  const recorded = await actions(world);
  return recorded.map(({ planned }) => (planned['arguments'] as { invoice: string }).invoice);
}
