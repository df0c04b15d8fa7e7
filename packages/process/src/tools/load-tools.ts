// Tools from a module: everything that it exports and that defineTool or httpTool has made, alone, in
// lists or in records. Or from a tool file, JSON or YAML, whose tools are called by HTTP.
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
import { SetupFault } from '../setup-fault.ts';
import { isToolFile, readToolFile } from './tool-file.ts';

/**
 * @param paths of modules and tool files
 * @param env where the secrets of tool files are
 * @throws SetupFault `tools.unreadable`
 */
export async function loadTools(
  paths: string | readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<ToolSet> {
  const all = typeof paths === 'string' ? [paths] : paths;
  const tools: Tool[] = [];
  for (const path of all) {
    const found = isToolFile(path) ? await toolsOfFile(path, env) : toolsIn(await load(path));
    if (found.length === 0) {
      throw new SetupFault('tools.unreadable', `${path} exports no tool`, {
        fix: 'export what defineTool(…) returns: export const tools = [refund, sendEmail].',
      });
    }
    tools.push(...found);
  }
  try {
    return createToolSet(tools);
  } catch (error) {
    throw declarationError(all.join(', '), error);
  }
}

async function toolsOfFile(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly Tool[]> {
  try {
    return await readToolFile(path, env);
  } catch (error) {
    if (error instanceof SetupFault) throw error;
    throw declarationError(path, error);
  }
}

async function load(modulePath: string): Promise<unknown> {
  const path = resolve(modulePath);
  if (!existsSync(path)) {
    throw new SetupFault('tools.unreadable', `there is no module ${modulePath}`, {
      fix: 'name a module that exports tools, or a tool file: --tools ./tools.ts, --tools ./tools.yaml.',
    });
  }
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    throw declarationError(modulePath, error);
  }
}

function declarationError(modulePath: string, error: unknown): SetupFault {
  const what = error instanceof Error ? error.message : String(error);
  const kind =
    error instanceof ToolDeclarationError ? 'declares a tool that is refused' : 'cannot be loaded';
  const fix =
    error instanceof ToolDeclarationError
      ? 'mend the declaration as it says; docs/errors.md has every code.'
      : 'name a JavaScript or TypeScript module that Node can run and that exports tools.';
  return new SetupFault('tools.unreadable', `${modulePath} ${kind}: ${what}`, {
    fix,
    cause: error,
  });
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
