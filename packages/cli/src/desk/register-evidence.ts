// `action-ledger evidence …`
import { Option } from 'commander';
import { type Register } from '../cli.ts';
import { addDoorOptions } from './door-options.ts';
import type { ReportOptions } from './evidence.ts';
import type { ListEvidenceOptions } from './list-evidence.ts';

export const registerEvidence: Register = (program, cli) => {
  const evidence = program
    .command('evidence')
    .summary('what was found out outside: report it, list what waits')
    .description(
      'What a provider or a person knows about an action, by whatever the provider knows it by.',
    );
  addDoorOptions(
    evidence
      .command('report')
      .summary('report what became of an action')
      .description(
        'Reports what you know about an action. Name it by its id, or by what its provider knows it by: the key\nthat was sent downstream, or the id that the provider gave. What matches no action yet is kept for seven\ndays, and matched when one comes to bear the name.',
      )
      .addOption(
        new Option('--claims <what>', 'what it says')
          .choices(['success', 'refusal', 'note'])
          .makeOptionMandatory(),
      )
      .option('--action <id>', 'the full id of the action')
      .option('--key <key>', 'the key that was sent downstream')
      .option('--reference <text>', "the key, or with --tool the provider's id")
      .option('--tool <name>', 'whose provider says so; needed with --external-id alone')
      .option('--external-id <id>', "the provider's id of the effect")
      .option('--proven', 'it bears our key or reference: only a proven success settles')
      .option(
        '--never-had-effect',
        'with --claims refusal: the provider has never acted on the key',
      )
      .option('--source <text>', 'where you have it from')
      .option('--id <id>', 'of the report itself: said again, it counts once')
      .option('--data <json>', 'what the provider said, as JSON')
      .option('--tenant <tenant>', 'of this tenant', 'default'),
  )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger evidence report --claims success --proven --tool refund --external-id re_17
  action-ledger evidence report --claims refusal --never-had-effect --key 7Zf1m3J0l8wQ2bT5xYc9vR4n`,
    )
    .action(async (options: ReportOptions) => {
      const { reportEvidence } = await import('./evidence.ts');
      await reportEvidence(cli, options);
    });
  addDoorOptions(
    evidence
      .command('list')
      .summary('reports that match no action yet')
      .description('Lists reports that match no action yet, the oldest first.')
      .option('--tenant <tenant>', 'only of this tenant'),
  )
    .addHelpText('after', '\nExamples:\n  action-ledger evidence list')
    .action(async (options: ListEvidenceOptions) => {
      const { listEvidence } = await import('./list-evidence.ts');
      await listEvidence(cli, options);
    });
};
