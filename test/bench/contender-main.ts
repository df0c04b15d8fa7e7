// One contender in a process of its own, so that nobody else's memory or garbage is measured with it.
// Does the slices it is ordered to do; performs given payments until each caller has been told.
import { setTimeout as pause } from 'node:timers/promises';
import { type Contender, type ContenderContext, type Told } from './contender.ts';
import { openGateway } from './contenders/gateway.ts';
import { openHttp } from './contenders/http.ts';
import { openSqliteGrouped } from './contenders/sqlite-grouped.ts';
import { createEffectsClient } from './effects-client.ts';
import {
  type ContenderMessage,
  type ContenderReply,
  type ContenderSetting,
  type SliceOrder,
  type SliceResult,
} from './messages.ts';
import { benchSeed, paymentArguments, type PaymentArguments } from './payment.ts';
import { percentile } from './statistics.ts';

/** Work that a contender put off (a read model, a checkpoint) is its own: waited for and counted. */
const afterworkMs = 50;
/** How long a caller of W3 waits for a first answer, until it asks again, and how often it does. */
const patienceMs = 250;
const askAgainMs = 20;
const askAgainMax = 500;

const setting = JSON.parse(process.argv[2] ?? '') as ContenderSetting;
const effects = createEffectsClient(setting.client, setting.port);
const contender = await open({
  dir: setting.dir,
  effects,
  port: setting.port,
  client: setting.client,
  yardstickBytes: setting.yardstickBytes,
});
let nextPayment = 0;
let latestSlice = { from: 0, to: 0 };

process.on('disconnect', () => process.exit());
process.on('message', (message: ContenderMessage) => {
  obey(message).then(reply, (error: unknown) => {
    console.error(`${setting.contender}:`, error);
    process.exit(1);
  });
});
reply({ type: 'ready' });

async function open(context: ContenderContext): Promise<Contender> {
  switch (setting.contender) {
    case 'http':
      return openHttp(context);
    case 'sqlite-grouped':
      return openSqliteGrouped(context);
    case 'sqlite-each':
      return openSqliteGrouped(context, 1);
    case 'gateway':
      return openGateway(context);
    case 'ledger':
      return (await import('./contenders/ledger.ts')).openLedger(context);
  }
}

async function obey(message: ContenderMessage): Promise<ContenderReply> {
  switch (message.type) {
    case 'slice':
      return slice(message);
    case 'perform':
      await perform(message.callers, message.payments);
      return { type: 'performed' };
    case 'close':
      await contender.close();
      effects.close();
      setImmediate(() => {
        process.disconnect();
      });
      return { type: 'closed' };
  }
}

async function slice(order: SliceOrder): Promise<SliceResult> {
  const expected: Told = order.work === 'W1' ? 'done' : 'duplicate';
  const next = order.work === 'W1' ? newPayment : repeatsOf(latestSlice);
  const from = nextPayment;
  const latencies: number[] = [];
  const commits = contender.commits?.();
  const others = (await contender.cpuMs?.()) ?? 0;
  const cpu = process.cpuUsage();
  const start = performance.now();
  const caller = async (): Promise<void> => {
    while (latencies.length < order.actionsMin || performance.now() - start < order.millisMin) {
      const { n, payment } = next();
      const sent = performance.now();
      const told = await contender.perform(n, payment);
      latencies.push(performance.now() - sent);
      if (told !== expected) throw new Error(`${order.work}, payment ${n}: told "${told}"`);
    }
  };
  await Promise.all(Array.from({ length: order.callers }, caller));
  const seconds = (performance.now() - start) / 1000;
  await pause(afterworkMs);
  const { user, system } = process.cpuUsage(cpu);
  if (order.work === 'W1') latestSlice = { from, to: nextPayment };
  const sorted = Float64Array.from(latencies).sort();
  return {
    type: 'slice done',
    actions: sorted.length,
    seconds,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    cpuMs: (user + system) / 1000 + ((await contender.cpuMs?.()) ?? 0) - others,
    commits: commits === undefined ? undefined : (contender.commits?.() ?? 0) - commits,
  };
}

interface NumberedPayment {
  readonly n: number;
  readonly payment: PaymentArguments;
}

function newPayment(): NumberedPayment {
  const n = nextPayment++;
  return { n, payment: paymentArguments(benchSeed, n) };
}

/** Built beforehand: where a repeat takes ten microseconds, building its payment would count. */
function repeatsOf({ from, to }: typeof latestSlice): () => NumberedPayment {
  if (from === to) throw new Error('W2 repeats what W1 did: run W1 first');
  const payments = Array.from({ length: to - from }, (_, index) => {
    const n = from + index;
    return { n, payment: paymentArguments(benchSeed, n) };
  });
  let next = 0;
  return () => {
    const payment = payments[next % payments.length];
    next += 1;
    return payment as NumberedPayment;
  };
}

/** Each answer is reported; a caller that is told "being checked" asks again. */
async function perform(callers: number, payments: readonly number[]): Promise<void> {
  const queue = payments.values();
  const caller = async (): Promise<void> => {
    for (const n of queue) await performOne(n);
  };
  await Promise.all(Array.from({ length: callers }, caller));
}

async function performOne(payment: number): Promise<void> {
  for (let asked = 0; asked < askAgainMax; asked += 1) {
    const sent = performance.now();
    const told = await contender.perform(payment, paymentArguments(benchSeed, payment), patienceMs);
    reply({ type: 'told', payment, told, ms: performance.now() - sent });
    if (told !== 'being checked') return;
    await pause(askAgainMs);
  }
}

function reply(message: ContenderReply): void {
  process.send?.(message);
}
