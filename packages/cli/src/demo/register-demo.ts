// `action-ledger demo`
import { type Register } from '../cli.ts';
import { addJsonOption } from '../ledger-file/ledger-path.ts';

export const registerDemo: Register = (program, cli) => {
  addJsonOption(program.command('demo'))
    .summary('see ways in which agents act twice, and what the ledger does')
    .description(
      'Plays the ways in which an agent acts twice, really and in this process: through the ledger and\nwithout one, against a provider that counts its effects. Needs no server, no configuration and no\nfile, and leaves none. Ends with 1 if any count is not as wanted.',
    )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger demo
  action-ledger demo --json | jq '.cases[] | {title, effects}'`,
    )
    .action(async ({ json }: { readonly json?: boolean }) => {
      const { runDemo } = await import('./run-demo.ts');
      const { renderDemo } = await import('./print-demo.ts');
      const result = await runDemo(cli.io.runtime);
      if (json === true) cli.json(result);
      else cli.io.out(renderDemo(result, { style: cli.style, columns: cli.io.columns }));
      if (!result.ok) cli.end(1);
    });
};
