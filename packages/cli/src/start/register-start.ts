// `action-ledger start`
import { type Register } from '../cli.ts';
import { addPathOption } from '../ledger-file/ledger-path.ts';
import { metricsPortOption, portOption } from './port.ts';
import type { StartOptions } from './start.ts';
import { providerPortUsual } from '../play/play-options.ts';

const providerUsual = `http://127.0.0.1:${providerPortUsual}`;

export const registerStart: Register = (program, cli) => {
  addPathOption(
    program
      .command('start')
      .summary('run a ledger that answers over HTTP')
      .description(
        'Runs the whole ledger in one process over one file: it executes the tools that you name, looks after\nwhat is unknown, and answers over HTTP until it is stopped.',
      )
      .option('--tools <files...>', 'modules that export tools, and tool files (.json, .yaml)')
      .option(
        '--sandbox <folders...>',
        'in place of --tools: the tools of recorded calls, by the folders of their <domain>.json',
      )
      .option('--provider <url>', 'where the tools of --sandbox send', providerUsual)
      .option('--host <address>', 'where it listens', '127.0.0.1')
      .addOption(portOption('on which port; 0: any that is free'))
      .option(
        '--observe [tools...]',
        'only observe calls of these tools (default: of all): every call goes out',
      )
      .option('--observe-tenants <tenants...>', 'only observe the calls of these tenants')
      .option('--open', 'no keys: everyone on this machine is "local" of tenant "default"')
      .option('--metrics', 'serve Prometheus metrics at GET /metrics, on a port of their own')
      .option('--metrics-host <address>', 'where they are served', '127.0.0.1')
      .addOption(metricsPortOption())
      .option('--otlp <url>', 'send OpenTelemetry spans to this collector, over OTLP/HTTP')
      .option('--no-access-log', 'print no line for each request')
      .option('--notify <url...>', 'tell this address what waits for people; one or more')
      .option('--notify-secret-file <file>', 'what notifications are signed with')
      .option('--notify-private', 'notify private addresses and http: too'),
  )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger start --tools ./tools.ts --open
  action-ledger start --tools ./refunds.yaml ./tools.ts
  action-ledger start --tools ./tools.ts --path /var/lib/agent/ledger.db --port 8080
  action-ledger start --tools ./tools.ts --notify https://ops.example.com/hook --notify-secret-file notify.secret
  action-ledger start --tools ./tools.ts --observe refund
  action-ledger start --sandbox ./recorded/catalog --path sandbox.db`,
    )
    .action(async (options: StartOptions) => {
      const { start } = await import('./start.ts');
      await start(cli, options);
    });
};
