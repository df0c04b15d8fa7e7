// `action-ledger explain`: what a call would be, without making it.
import { createExplainer, type Explanation } from '@action-ledger/application';
import { type CallOrigin, type JsonValue, parseJson } from '@action-ledger/domain';
import { createMemoryEventStore, type EventStore } from '@action-ledger/event-store';
import { existsSync } from 'node:fs';
import { CliError, usageError } from '../cli-error.ts';
import { type Cli } from '../cli.ts';
import { printable } from '../format/printable.ts';
import { ledgerPath, type PathOption } from '../ledger-file/ledger-path.ts';
import { readLedger } from '../ledger-file/read-ledger.ts';
import { sha256 } from '../sha256.ts';
import { digestSecrets } from './digest-secrets.ts';
import { fieldsOf } from './fields-of.ts';
import { loadTools } from '@action-ledger/process';
import { renderExplanation } from './print-explanation.ts';

export interface ExplainOptions extends PathOption, CallOrigin {
  readonly tools: string;
  readonly tool: string;
  readonly args: string;
  readonly tenant: string;
  readonly key?: string;
  readonly json?: boolean;
}

export async function explain(cli: Cli, options: ExplainOptions): Promise<void> {
  const args = parseArguments(options.args);
  const tools = await loadTools(options.tools, cli.io.env);
  const path = ledgerPath(cli.io, options);
  const tool = tools.get(options.tool);
  if (tool === undefined) {
    const names = tools.all.map(({ name }) => name).join(', ');
    throw new CliError('tool.unknown', `${options.tools} has no tool ${printable(options.tool)}`, {
      fix: `it has ${names}.`,
    });
  }
  if (tool.kind === 'read') {
    throw new CliError(
      'tool.read',
      `${tool.name} is a read: it passes through, and nothing is recorded`,
      { fix: 'explain a tool of kind write.' },
    );
  }
  await overRecord(cli, options, path, async (store) => {
    const explainer = createExplainer({
      store,
      runtime: cli.io.runtime,
      sha256,
      tools,
      digestSecret: digestSecrets(path),
    });
    const { conversation, run, turn, call, key, tenant } = options;
    const origin = given({ conversation, run, turn, call });
    const request = { tool: tool.name, arguments: args, tenant, origin };
    const explained = await explainer(key === undefined ? request : { ...request, key });
    if (explained.kind === 'refusal') {
      const fix = fixes[explained.code] ?? usualFix;
      throw new CliError(explained.code, explained.message, { fix });
    }
    const fields = fieldsOf(tool, JSON.parse(explained.arguments) as JsonValue);
    if (options.json === true) cli.json(forPrograms(explained, fields));
    else cli.io.out(renderExplanation(cli, { explained, fields, request: options, origin }));
  });
}

const usualFix = 'correct --args or --key as it says; docs/errors.md has every code.';

/** Where the refusal speaks of a proposal, in the words of the command line. */
const fixes: Readonly<Record<string, string>> = {
  'identity.scope-missing':
    'name where the call comes from with --conversation, --run, --turn and --call, or give it a --key.',
};

function forPrograms(
  { kind: _kind, arguments: canonical, ...rest }: Explanation,
  fields: ReturnType<typeof fieldsOf>,
): unknown {
  return { ...rest, arguments: JSON.parse(canonical) as unknown, fields };
}

/** Without a file, and where none was named, as if nothing had been recorded. */
async function overRecord(
  cli: Cli,
  options: ExplainOptions,
  path: string,
  read: (store: EventStore) => Promise<void>,
): Promise<void> {
  if (options.path === undefined && !existsSync(path)) {
    cli.io.err(`There is no ${path}: explained as if nothing had been recorded.\n`);
    await read(createMemoryEventStore());
    return;
  }
  await readLedger(cli.io, options, read);
}

function parseArguments(text: string): JsonValue {
  const parsed = parseJson(text);
  if (parsed.kind === 'parsed') return parsed.value;
  throw usageError(
    `--args: ${parsed.message}`,
    `quote it for the shell, for example --args '{"order": "A-17"}'.`,
  );
}

function given(origin: { readonly [Part in keyof CallOrigin]: string | undefined }): CallOrigin {
  return Object.fromEntries(Object.entries(origin).filter(([, value]) => value !== undefined));
}
