// A process of claimants: executors over a store on a server, told of it by real brokers. It says when they
// are ready, starts them at a word, says each fault that they meet, and ends with its input.
import { createInterface } from 'node:readline';
import { hash } from 'node:crypto';
import { enableCompileCache } from 'node:module';
import { type Service } from '@action-ledger/application';
import { createExecutor } from '@action-ledger/executor';
import { openKafkaEventLog } from '@action-ledger/event-log-kafka';
import { openEventStoreDbEventStore } from '@action-ledger/event-store-eventstoredb';
import { createSystemRuntime } from '@action-ledger/runtime';
import { connectProvider } from '@action-ledger/sandbox';
import { createToolSet } from '@action-ledger/tools';
import { sendTool } from './claimants.ts';

enableCompileCache();

const { connectionString, brokers, prefix, url, names } = JSON.parse(
  process.argv[2] ?? '{}',
) as Record<'connectionString' | 'prefix' | 'url', string> &
  Record<'brokers' | 'names', readonly string[]>;
const runtime = createSystemRuntime();
const provider = connectProvider(url);
const onFault = (where: string, fault: unknown): void => {
  process.stdout.write(`fault ${where} ${String(fault)}\n`);
};

const store = await openEventStoreDbEventStore({ connectionString, runtime });
const log = await openKafkaEventLog({ brokers, prefix, runtime, topics: { partitions: 4 } });

function openClaimant(name: string): Service {
  return createExecutor({
    ...{ log, runtime, onFault },
    core: {
      own: {
        ...{ store, runtime, onFault, instance: name },
        sha256: (text) => hash('sha256', text, 'base64url'),
        tools: createToolSet([sendTool(provider)]),
        digestSecret: () => {
          throw new Error('no secrets here');
        },
      },
    },
  });
}

const executors = names.map(openClaimant);
process.stdout.write('ready\n');
createInterface({ input: process.stdin })
  .once('line', () => void Promise.all(executors.map((executor) => executor.start())))
  .once('close', () => process.exit(0));
