// The programs of services as processes, on Node as it is: they load what they need, wait for their servers, say when
// they have started, and end as they are told to.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { openEventStoreDbDouble } from '@action-ledger/eventstoredb-double';
import { brokersGiven, newPrefix, runtime, skipped } from './world.ts';

const brokers = brokersGiven();

function serve(service: string, env: Readonly<Record<string, string>>): ChildProcess {
  return spawn(process.execPath, ['packages/cli/bin/action-ledger.js', 'serve', service], {
    env: { PATH: process.env['PATH'], ACTION_LEDGER_PROBE_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
}

async function ended(child: ChildProcess): Promise<number | string | null> {
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return signal ?? code;
}

async function toldStarted(child: ChildProcess): Promise<Record<string, string>> {
  const [told] = (await once(child, 'message')) as [
    { readonly kind: string; readonly urls: Record<string, string> },
  ];
  expect(told.kind).toBe('started');
  return told.urls;
}

if (brokers === undefined) {
  it.skip(skipped('services as processes'), () => undefined);
} else {
  describe('a service as a process', () => {
    it('ends with 2 where its settings are wrong, and says which', async () => {
      const child = serve('executor', { ACTION_LEDGER_KAFKA_BROKERS: brokers.join() });
      let said = '';
      child.stderr?.on('data', (text: Buffer) => (said += text.toString()));
      expect(await ended(child)).toBe(2);
      expect(said).toContain('ACTION_LEDGER_EVENTSTOREDB_URL: it is missing');
    });

    it('starts over real addresses, serves its probes, and stops when it is told to', async () => {
      const double = await openEventStoreDbDouble({ runtime });
      const child = serve('gateway', {
        ACTION_LEDGER_EVENTSTOREDB_URL: double.connectionString,
        ACTION_LEDGER_KAFKA_BROKERS: brokers.join(),
        ACTION_LEDGER_KAFKA_PREFIX: newPrefix(),
        ACTION_LEDGER_KAFKA_PARTITIONS: '2',
        ACTION_LEDGER_PORT: '0',
        ACTION_LEDGER_OPEN: 'true',
      });
      const { probes = '', api = '' } = await toldStarted(child);
      expect((await fetch(new URL('/ready', probes))).status).toBe(200);
      expect(await (await fetch(new URL('/v1/tools', api))).json()).toMatchObject({ tools: [] });
      const end = ended(child);
      child.kill('SIGTERM');
      expect(await end).toBe(0);
      await double.close();
    });

    it('stops when it is told to while it waits for its servers', async () => {
      const child = serve('projector', {
        ACTION_LEDGER_EVENTSTOREDB_URL: 'esdb://127.0.0.1:9?tls=false',
        ACTION_LEDGER_KAFKA_BROKERS: brokers.join(),
      });
      const waits = new Promise<void>((resolve) => {
        child.stdout?.on('data', (text: Buffer) => {
          if (text.toString().includes('waiting for EventStoreDB')) resolve();
        });
      });
      await waits;
      const end = ended(child);
      child.kill('SIGTERM');
      expect(await end).toBe(0);
    });
  });
}
