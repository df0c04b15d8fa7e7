// `action-ledger verify`
import { type Register } from '../cli.ts';
import { addJsonOption, addPathOption } from '../ledger-file/ledger-path.ts';
import type { VerifyCommand } from './verify.ts';

export const registerVerify: Register = (program, cli) => {
  addJsonOption(
    addPathOption(
      program
        .command('verify')
        .summary('prove that the record is whole, or name what is wrong')
        .description(
          'Reads every event and checks that no position is missing, that the hash chain of every stream\nholds, that every stream folds, and the invariants across streams. Ends with 1 if anything is broken. A backup, or what was\nrestored from one, is whole where all that was copied is.',
        )
        .option('--archive <folder>', 'check the files of archived events in this folder too'),
    ),
  )
    .addHelpText(
      'after',
      `
Prints with --json: {streams, events, brokenInvariants: [{stream, invariant, detail}]}, of a backup {copy} too

Examples:
  action-ledger verify
  action-ledger verify --path backup.db --json | jq .brokenInvariants`,
    )
    .action(async (options: VerifyCommand) => {
      const { verify } = await import('./verify.ts');
      await verify(cli, options);
    });
};
