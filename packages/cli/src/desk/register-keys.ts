// `action-ledger keys …`, `pause`, `resume`, `pauses`
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Role } from '@action-ledger/access';
import { type Register } from '../cli.ts';
import { addDoorOptions, addFileDoorOptions, type DoorOptions } from './door-options.ts';
import type { CreateKeyOptions, PauseOptions, ResumeOptions } from './keys.ts';
import { wholeNumber } from './register-decide.ts';

/** Every role, and no other: each command line reads them, and what access is given by loads much more. */
const roles = Object.keys({
  proposer: true,
  worker: true,
  approver: true,
  operator: true,
  auditor: true,
} satisfies Readonly<Record<Role, true>>);

export const registerKeys: Register = (program, cli) => {
  const keys = program
    .command('keys')
    .summary('API keys: make, list, revoke')
    .description(
      'Keys by which programs and people come in over HTTP. Only their hashes are kept.',
    );
  addFileDoorOptions(
    keys
      .command('create')
      .summary('make a key, and show it once')
      .description('Makes a key for one tenant and prints it: the only time that it is shown.')
      .requiredOption('--name <name>', 'who holds it, as it stands on record')
      .option('--tenant <tenant>', 'whose actions it reaches', 'default')
      .addOption(
        new Option('--role <role...>', 'what it may do').choices(roles).makeOptionMandatory(),
      )
      .option('--days <days>', 'how long it is good (default: until it is revoked)', days)
      .option('--store', 'in place of a file: in the EventStoreDB that the environment names'),
  )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger keys create --name "billing agent" --role proposer
  action-ledger keys create --name ann --tenant acme --role approver operator --days 30`,
    )
    .action(async (options: CreateKeyOptions) => {
      const { createKey } = await import('./keys.ts');
      await createKey(cli, options);
    });
  addDoorOptions(
    keys.command('list').summary('keys on record').description('Lists the keys, never their text.'),
  )
    .addHelpText('after', '\nExamples:\n  action-ledger keys list')
    .action(async (options: DoorOptions) => {
      const { listKeys } = await import('./keys.ts');
      await listKeys(cli, options);
    });
  addDoorOptions(
    keys
      .command('revoke')
      .summary('let nobody in by a key any more')
      .description('Ends a key at once. Its record stays.')
      .argument('<id>', 'the id of the key, as the list shows it')
      .requiredOption('--reason <text>', 'for whoever reads the record'),
  )
    .addHelpText(
      'after',
      '\nExamples:\n  action-ledger keys revoke 3kx81AbQzT7wKfUeP0aSdg --reason leaked',
    )
    .action(async (id: string, options: DoorOptions & { readonly reason: string }) => {
      const { revokeKey } = await import('./keys.ts');
      await revokeKey(cli, id, options);
    });
};

export const registerPauses: Register = (program, cli) => {
  addScopeOptions(
    program
      .command('pause')
      .summary('take nothing new, of a tool, a tenant or all')
      .description(
        'Refuses new calls and sends nothing, of one tool, one tenant, one tool of one tenant, or, where\nneither is named, of everything. Repeats are answered and lookups go on.',
      ),
  )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger pause --tool refund --reason "the bank is down"
  action-ledger pause --reason "we are looking into it"`,
    )
    .action(async (options: PauseOptions) => {
      const desk = await import('./keys.ts');
      await desk.pause(cli, options);
    });
  addScopeOptions(
    program
      .command('resume')
      .summary('end a pause')
      .description('Ends the pause of the same scope; what it held back goes on.')
      .option(
        '--revision <number>',
        'the pause that you saw: refused where it is another one by now (default: as it is now)',
        wholeNumber,
      ),
  )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger resume --tool refund --reason "the bank is up again"
  action-ledger resume --reason "found and mended"`,
    )
    .action(async (options: ResumeOptions) => {
      const desk = await import('./keys.ts');
      await desk.resume(cli, options);
    });
  addDoorOptions(
    program
      .command('pauses')
      .summary('what is paused')
      .description('Lists what is paused, by whom and why.'),
  )
    .addHelpText('after', '\nExamples:\n  action-ledger pauses')
    .action(async (options: DoorOptions) => {
      const { listPauses } = await import('./keys.ts');
      await listPauses(cli, options);
    });
};

function addScopeOptions(command: Command): Command {
  return addDoorOptions(
    command
      .option('--tenant <tenant>', 'of this tenant')
      .option('--tool <name>', 'of this tool')
      .requiredOption('--reason <text>', 'for whoever is refused, and for the record'),
  );
}

function days(text: string): number {
  const value = Number(text);
  if (!(value > 0) || value > 36_500) throw new InvalidArgumentError('it is a number above 0.');
  return value;
}
