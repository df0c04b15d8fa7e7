// `action-ledger doctor`
import { type Register } from '../cli.ts';
import type { DoctorOptions } from './doctor.ts';
import { addJsonOption, addPathOption } from '../ledger-file/ledger-path.ts';

export const registerDoctor: Register = (program, cli) => {
  addJsonOption(
    addPathOption(
      program
        .command('doctor')
        .summary('check what a ledger needs, each with its fix')
        .description(
          'Checks Node, the file and its access, who holds it, its format and condition, the chain of its newest\nevents, disk space, sync time and the clock. With --services: the settings of services and what they name.\nEnds with 1 if a check fails.',
        )
        .option(
          '--services',
          'check what the services of the distributed size need: settings, tools, EventStoreDB, Kafka',
        ),
    ),
  )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger doctor
  action-ledger doctor --services
  action-ledger doctor --path /var/lib/agent/ledger.db --json | jq '.checks[] | select(.state != "ok")'`,
    )
    .action(async (options: DoctorOptions) => {
      const { doctor } = await import('./doctor.ts');
      await doctor(cli, options);
    });
};
