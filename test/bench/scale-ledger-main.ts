// A ledger in a process of its own, whose tool takes no time: filled by many callers, or measured with
// one. New actions come after all that were there before; no repeat is asked twice, so that each is
// read from the file.
import { join } from 'node:path';
import { openStandalone } from '@action-ledger/standalone';
import { openPayLedger, payTool, perform, toldBy } from './contenders/ledger.ts';
import { mainFile, type Told } from './contender.ts';
import { benchSeed, paymentArguments, paymentResult } from './payment.ts';
import {
  type ScaleCost,
  type ScaleMessage,
  type ScaleReply,
  type ScaleSetting,
} from './scale-messages.ts';

const fillCallers = 128;
const listLimit = 50;
/** Prime: with a size that it does not divide, the repeats go through all actions in leaps. */
const leap = 7919;

const setting = JSON.parse(process.argv[2] ?? '') as ScaleSetting;
let nextNew = setting.actions;
let repeats = 0;

const opened = performance.now();
const ledger = setting.services ? await openServing() : await openAlone();
await perform1(nextNew++, 'done');
const firstAnswerMs = performance.now() - opened;

process.on('disconnect', () => process.exit());
process.on('message', (message: ScaleMessage) => {
  obey(message).then(reply, (error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
reply({ type: 'ready', firstAnswerMs });

/** What is measured of it. */
interface ScaleLedger {
  readonly perform: (n: number) => Promise<Told>;
  readonly list: (limit: number) => readonly unknown[];
  readonly close: () => Promise<void>;
}

function noTime(): Parameters<typeof payTool>[0] {
  return {
    send: async (_, payment) => paymentResult(payment.payment_id, 1),
    find: async () => undefined,
  };
}

async function openAlone(): Promise<ScaleLedger> {
  const alone = await openPayLedger(setting.dir, noTime());
  return {
    perform: (n) => perform(alone, n, paymentArguments(benchSeed, n)),
    list: (limit) => alone.list({ limit }),
    close: () => alone.close(),
  };
}

async function openServing(): Promise<ScaleLedger> {
  const tell = (facts: object, message: string): void => {
    console.error(message, facts);
  };
  const standalone = await openStandalone({
    path: join(setting.dir, mainFile),
    tools: [payTool(noTime())],
    logger: { info: () => undefined, warn: tell, error: tell },
    metrics: { port: 0 },
    accessLog: true,
  });
  const { ledger: served } = standalone;
  return {
    perform: async (n) => {
      const origin = { run: 'bench', turn: '1', call: `call_${n}` };
      const proposal = {
        tenant: 'default',
        tool: 'pay',
        arguments: paymentArguments(benchSeed, n),
        origin,
      };
      return toldBy((await served.propose(proposal)).word);
    },
    list: (limit) => served.list({ limit }),
    close: () => standalone.stop(),
  };
}

async function obey(message: ScaleMessage): Promise<ScaleReply> {
  switch (message.type) {
    case 'fill':
      await fill(message.actions);
      return { type: 'filled' };
    case 'slice':
      return { type: 'slice done', microseconds: await slice(message.cost, message.count) };
    case 'weigh':
      return { type: 'weighed', megabytes: process.memoryUsage.rss() / 1e6 };
    case 'close':
      await ledger.close();
      setImmediate(() => {
        process.disconnect();
      });
      return { type: 'closed' };
  }
}

async function fill(actions: number): Promise<void> {
  const caller = async (): Promise<void> => {
    while (nextNew < actions) await perform1(nextNew++, 'done');
  };
  await Promise.all(Array.from({ length: fillCallers }, caller));
}

async function slice(cost: ScaleCost, count: number): Promise<number> {
  const start = performance.now();
  for (let n = 0; n < count; n += 1) await once(cost);
  return ((performance.now() - start) / count) * 1000;
}

async function once(cost: ScaleCost): Promise<void> {
  switch (cost) {
    case 'propose':
      return perform1(nextNew++, 'done');
    case 'repeat':
      return perform1((repeats++ * leap) % setting.actions, 'duplicate');
    case 'list': {
      const { length } = ledger.list(listLimit);
      if (length !== listLimit) throw new Error(`a list of ${length} actions`);
    }
  }
}

async function perform1(n: number, expected: Told): Promise<void> {
  const told = await ledger.perform(n);
  if (told !== expected) throw new Error(`payment ${n}: told "${told}"`);
}

function reply(message: ScaleReply): void {
  process.send?.(message);
}
