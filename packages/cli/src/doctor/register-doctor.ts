// `action-ledger doctor`
import { type Register } from '../cli.ts';
import { addJsonOption, addPathOption, type PathOption } from '../ledger-file/ledger-path.ts';

export const registerDoctor: Register = (program, cli) => {
  addJsonOption(
    addPathOption(
      program
        .command('doctor')
        .summary('check what a ledger needs, each with its fix')
        .description(
          'Checks Node, the file and its access, who holds it, its format and condition, the chain of its newest\nevents, disk space, sync time and the clock. Ends with 1 if a check fails.',
        ),
    ),
  )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger doctor
  action-ledger doctor --path /var/lib/agent/ledger.db --json | jq '.checks[] | select(.state != "ok")'`,
    )
    .action(async (options: PathOption & { readonly json?: boolean }) => {
      const { doctor } = await import('./doctor.ts');
      await doctor(cli, options);
    });
};
