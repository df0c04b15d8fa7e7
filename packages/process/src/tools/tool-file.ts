// A tool file: HTTP tools as JSON or YAML. Its secrets come from the environment, by their names, and are
// looked for when it is read, so that a name that is not set is told at the start and not at a send.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { type JsonValue, parseJson } from '@action-ledger/domain';
import { httpToolFile, secretsOfToolFile, type Tool } from '@action-ledger/tools';
import { SetupFault } from '../setup-fault.ts';

type Env = Readonly<Record<string, string | undefined>>;

export function isToolFile(path: string): boolean {
  return ['.json', '.yaml', '.yml'].includes(extname(path).toLowerCase());
}

const bytesMax = 1024 * 1024;

/** @throws SetupFault, ToolDeclarationError */
export async function readToolFile(path: string, env: Env): Promise<readonly Tool[]> {
  const file = await parsed(path);
  const secret = (name: string): string => {
    const value = env[name];
    if (value !== undefined && value !== '') return value;
    throw unreadable(path, `needs the secret ${name}, and it is not in the environment`, {
      fix: `set the variable ${name}.`,
    });
  };
  const tools = httpToolFile(file, { secret });
  for (const name of secretsOfToolFile(file)) secret(name);
  return tools;
}

async function parsed(path: string): Promise<JsonValue> {
  if (!existsSync(path) || !statSync(path).isFile())
    throw unreadable(path, 'is no file', { fix: 'name a tool file: --tools ./tools.yaml.' });
  if (statSync(path).size > bytesMax)
    throw unreadable(path, `has more than ${bytesMax} bytes`, { fix: 'divide it.' });
  const text = readFileSync(path, 'utf8');
  if (extname(path).toLowerCase() === '.json') {
    const read = parseJson(text);
    if (read.kind === 'parsed') return read.value;
    throw unreadable(path, `is no JSON: ${read.message}`, { fix: 'mend it as it says.' });
  }
  const { parse } = await import('yaml');
  try {
    return parse(text, { schema: 'core', uniqueKeys: true }) as JsonValue;
  } catch (error) {
    const [first = ''] = (error as Error).message.split('\n');
    throw unreadable(path, `is no YAML: ${first.replace(/:$/, '')}`, {
      fix: 'mend it as it says.',
    });
  }
}

function unreadable(path: string, what: string, { fix }: { readonly fix: string }): SetupFault {
  return new SetupFault('tools.unreadable', `${path} ${what}`, { fix });
}
