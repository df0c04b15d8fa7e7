// `action-ledger verify`
import { type Register } from '../cli.ts';
import { addJsonOption, addPathOption, type PathOption } from '../ledger-file/ledger-path.ts';

export const registerVerify: Register = (program, cli) => {
  addJsonOption(
    addPathOption(
      program
        .command('verify')
        .summary('prove that the record is whole, or name what is wrong')
        .description(
          'Reads every event and checks that no position is missing, that the hash chain of every stream\nholds, that every stream folds, and the invariants across streams. Ends with 1 if anything is broken.',
        ),
    ),
  )
    .addHelpText(
      'after',
      `
Prints with --json: {streams, events, brokenInvariants: [{stream, invariant, detail}]}

Examples:
  action-ledger verify
  action-ledger verify --path backup.db --json | jq .brokenInvariants`,
    )
    .action(async (options: PathOption & { readonly json?: boolean }) => {
      const { verify } = await import('./verify.ts');
      await verify(cli, options);
    });
};
