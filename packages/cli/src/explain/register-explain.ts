// `action-ledger explain`
import { type Register } from '../cli.ts';
import { addJsonOption, addPathOption } from '../ledger-file/ledger-path.ts';
import type { ExplainOptions } from './explain.ts';

export const registerExplain: Register = (program, cli) => {
  const command = program
    .command('explain')
    .summary('what a call would be, without making it')
    .description(
      'Shows what the ledger would make of a call: its key and hashes, which arguments are identity, bound\nor free, which action it meets, and what would follow. Nothing is sent or written.',
    )
    .requiredOption('--tools <module>', 'a module that exports the tools, or a tool file')
    .requiredOption('--tool <name>', 'the tool that is called')
    .requiredOption('--args <json>', 'its arguments, as JSON')
    .option('--tenant <tenant>', 'the tenant', 'default')
    .option('--conversation <id>', 'the conversation that the call belongs to')
    .option('--run <id>', 'the run of the agent')
    .option('--turn <id>', 'the turn in the run')
    .option('--call <id>', "the provider's tool-call id; without one it counts as a redelivery")
    .option('--key <key>', "the caller's own key, in place of the derived one");
  addJsonOption(addPathOption(command))
    .addHelpText(
      'after',
      `
Examples:
  action-ledger explain --tools ./tools.ts --tool refund --args '{"order": "A-17", "cents": 2500}' --run r1
  action-ledger explain --tools ./tools.ts --tool refund --args '{"order": "A-17"}' --key order-17 --json`,
    )
    .action(async (options: ExplainOptions) => {
      const { explain } = await import('./explain.ts');
      await explain(cli, options);
    });
};
