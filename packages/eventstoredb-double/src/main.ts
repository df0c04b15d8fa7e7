// The protocol double in a process of its own, for tests and for trying out: prints the connection string
// of the ledger's client as its first line, and runs until it is stopped.
import { parseArgs } from 'node:util';
import { createSystemRuntime } from '@action-ledger/runtime';
import { openEventStoreDbDouble } from './event-store-db-double.ts';

const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, file: { type: 'string' } },
});
const { file } = values;
const double = await openEventStoreDbDouble({
  runtime: createSystemRuntime(),
  port: Number(values.port),
  ...(file === undefined ? {} : { path: file }),
});
process.stdout.write(`${double.connectionString}\n`);

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    void double.close();
  });
// Where another program has started it, it ends with that one.
process.once('disconnect', () => process.exit());
