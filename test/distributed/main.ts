// npm run distributed: a real Kafka broker and the protocol double of EventStoreDB on the loopback, each in a
// process of its own, and over them a command of `action-ledger` (what follows `--`), with the environment that
// names them; without one, every service of the distributed size, until Ctrl-C.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startFleet } from '@action-ledger/cli/play';
import { startServers } from './servers.ts';
import { screenOf, services, startProcess } from './services.ts';

/** For whoever tries it out, alone on this machine. */
const usual = {
  ACTION_LEDGER_OPEN: 'true',
  ACTION_LEDGER_LOG_LEVEL: 'warn',
  ACTION_LEDGER_TOOLS: `${import.meta.dirname}/try-out-tools-main.ts`,
};
const program = 'packages/cli/bin/action-ledger.js';
console.log('Starting a Kafka broker and the protocol double of EventStoreDB …');
const servers = await startServers({ brokers: 1 });
if (servers.kind === 'missing') {
  console.log(`Nothing was started: ${servers.why}.`);
  process.exitCode = 1;
} else {
  const stopping = new Promise<void>((resolve) => {
    // Also later ones: npm tells again what the terminal has told.
    for (const signal of ['SIGINT', 'SIGTERM'])
      process.on(signal, () => {
        resolve();
      });
  });
  const named = servers.env;
  try {
    const args = process.argv.slice(2);
    if (args.length > 0) process.exitCode = await runCommand(args);
    else await stayUp();
  } finally {
    await servers.stop();
  }

  async function runCommand(args: readonly string[]): Promise<number> {
    const child = spawn(process.execPath, [program, ...args], {
      env: { ...process.env, ...named },
      stdio: 'inherit',
    });
    // It has the terminal, and so its signals.
    void stopping.then(() => child.kill('SIGTERM'));
    const [code] = (await once(child, 'exit')) as [number | null];
    return code ?? 1;
  }

  async function stayUp(): Promise<void> {
    const given = { ...usual, ...process.env, ...named };
    console.log(`Starting ${services.length} services, each in a process of its own …`);
    const fleet = await startFleet({ start: startProcess('inherit'), env: given, services });
    console.log(screenOf(fleet, given));
    await stopping;
    // A terminal has told them as well.
    await fleet.close().catch(() => undefined);
  }
}
