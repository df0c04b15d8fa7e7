// npm run soak: the distributed size on this machine, under load, while all of it is killed in turn. In the end what the
// provider counted is held against what is on record, and the log against the streams. Ends with 1 where a promise was
// not kept: something doubled, lost, told otherwise than it is, or silent for too long.
import { openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createSystemRuntime } from '@action-ledger/runtime';
import { startServers } from '../servers.ts';
import { printReport } from './report.ts';
import { soak } from './soak.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '20' },
    servers: { type: 'string', default: '5' },
    brokers: { type: 'string', default: '3' },
    'every-ms': { type: 'string', default: '3000' },
    runs: { type: 'string', default: '6' },
    seed: { type: 'string', default: '1' },
  },
});
const runtime = createSystemRuntime();
const startedMs = runtime.clock.monoMs();
const print = (line: string): void => {
  console.log(line);
};
const say = (what: unknown): void => {
  print(`${((runtime.clock.monoMs() - startedMs) / 1_000).toFixed(0)} s: ${String(what)}`);
};
const brokers = Number(values.brokers);
const servers = await startServers({ brokers });
if (servers.kind === 'missing') {
  print(`The soak was skipped: ${servers.why}.`);
  print('0 passed, 0 failed, 1 skipped');
} else {
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => void servers.stop().finally(() => process.exit(1)));
  const logPath = join(tmpdir(), `action-ledger-soak-${process.pid}.log`);
  say(`${brokers} brokers and one double are there; what services say is in ${logPath}`);
  try {
    const restarts = Number(values.servers);
    const ending = await soak({
      servers,
      runtime,
      say,
      logFile: openSync(logPath, 'a'),
      seed: Number(values.seed),
      runsAtOnce: Number(values.runs),
      plan: {
        kills: Number(values.kills),
        double: restarts,
        brokers: restarts,
        cuts: restarts,
        // Without another one everything would stand still meanwhile.
        brokerAwayMs: brokers > 1 ? 10_000 : 0,
        everyMs: Number(values['every-ms']),
        sessionMs: 6_000,
      },
    });
    process.exitCode = printReport(ending, print) ? 0 : 1;
  } finally {
    await servers.stop();
  }
}
