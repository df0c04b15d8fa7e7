// Tools from a module: everything that it exports and that defineTool or httpTool has made, alone, in
// lists or in records.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  createToolSet,
  isTool,
  type Tool,
  ToolDeclarationError,
  type ToolSet,
} from '@action-ledger/tools';
import { CliError } from '../cli-error.ts';

/** @throws CliError `tools.unreadable` */
export async function loadTools(modulePath: string): Promise<ToolSet> {
  const tools = toolsIn(await load(modulePath));
  if (tools.length === 0) {
    throw new CliError('tools.unreadable', `${modulePath} exports no tool`, {
      fix: 'export what defineTool(…) returns: export const tools = [refund, sendEmail].',
    });
  }
  try {
    return createToolSet(tools);
  } catch (error) {
    throw declarationError(modulePath, error);
  }
}

async function load(modulePath: string): Promise<unknown> {
  const path = resolve(modulePath);
  if (!existsSync(path)) {
    throw new CliError('tools.unreadable', `there is no module ${modulePath}`, {
      fix: 'name a JavaScript or TypeScript module that exports tools: --tools ./tools.ts.',
    });
  }
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    throw declarationError(modulePath, error);
  }
}

function declarationError(modulePath: string, error: unknown): CliError {
  const what = error instanceof Error ? error.message : String(error);
  const kind =
    error instanceof ToolDeclarationError ? 'declares a tool that is refused' : 'cannot be loaded';
  const fix =
    error instanceof ToolDeclarationError
      ? 'mend the declaration as it says; docs/errors.md has every code.'
      : 'name a JavaScript or TypeScript module that Node can run and that exports tools.';
  return new CliError('tools.unreadable', `${modulePath} ${kind}: ${what}`, { fix, cause: error });
}

/** Each once, however often it is exported. */
function toolsIn(exported: unknown): readonly Tool[] {
  const found = new Set<Tool>();
  const look = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null) return;
    if (isTool(value)) found.add(value);
    else if (depth > 0) for (const member of Object.values(value)) look(member, depth - 1);
  };
  look(exported, membersDeep);
  return [...found];
}

/** The module, a default export, a list or record in it. */
const membersDeep = 3;
