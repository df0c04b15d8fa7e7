// `action-ledger serve`: one service of the distributed size.
import { Argument } from 'commander';
import { type Register } from '../cli.ts';
import { serviceNames, type ServiceName } from './service-names.ts';

export const registerServe: Register = (program) => {
  program
    .command('serve')
    .addArgument(new Argument('<service>', 'which one').choices(serviceNames))
    .summary('run one service over EventStoreDB and Kafka')
    .description(
      'Runs one service of the distributed size in this process, over the EventStoreDB and the Kafka brokers\nthat the environment names, until it is stopped. Every service may run several times. What it says of\nitself goes to standard output, one JSON object a line.',
    )
    .addHelpText('after', examples)
    .action(async (service: ServiceName) => {
      const { serveService } = await import('./serve-service.ts');
      await serveService(service);
    });
};

const examples = `
Settings are variables of the environment; docs/distributed.md has all of them.

Examples:
  export ACTION_LEDGER_EVENTSTOREDB_URL=esdb://admin:changeit@127.0.0.1:2113?tls=false
  export ACTION_LEDGER_KAFKA_BROKERS=127.0.0.1:9092 ACTION_LEDGER_TOOLS=./tools.ts
  action-ledger serve gateway
  ACTION_LEDGER_PROBE_PORT=9374 action-ledger serve executor`;
