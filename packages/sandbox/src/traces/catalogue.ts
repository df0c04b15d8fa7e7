// The tools that a trace's calls name: `catalog/<domain>.json` beside the trace, or in a given folder.
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type JsonObject } from '@action-ledger/domain';
import { z } from 'zod';
import { TraceFault } from './trace-fault.ts';

const fieldNames = z.array(z.string()).readonly();

const judgement = z.object({
  /** What a second accepted call does: acts again, is refused, sets the same state, undoes, hands over. */
  effect: z.enum(['additive', 'guarded', 'absolute', 'toggle', 'control']),
  identity_fields: fieldNames.optional(),
  critical_fields: fieldNames.optional(),
  free_text_fields: fieldNames.optional(),
  order_insensitive: fieldNames.optional(),
  /** `absolute`: which fields name the thing that is set; without it, `identity_fields`. */
  entity_fields: fieldNames.optional(),
  /** Which tools reverse this one's effect, by equal fields: the undoer's to this tool's. */
  undone_by: z
    .array(z.object({ tool: z.string(), match: z.record(z.string(), z.string()) }))
    .readonly()
    .optional(),
});

const described = {
  name: z.string().min(1),
  description: z.string().default(''),
  /** JSON schema of the arguments. */
  parameters: z.custom<JsonObject>((value) => typeof value === 'object' && value !== null),
};

const catalogueTool = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('read'), ...described }),
  z.object({ kind: z.literal('write'), ...described, judgement }),
]);

const catalogueFile = z.object({ domain: z.string().min(1), tools: z.array(catalogueTool) });

export type Judgement = z.infer<typeof judgement>;
export type CatalogueTool = z.infer<typeof catalogueTool>;
export type CatalogueWrite = Extract<CatalogueTool, { kind: 'write' }>;

/** Domain to tool name to tool. */
export type Catalogue = ReadonlyMap<string, ReadonlyMap<string, CatalogueTool>>;

export function catalogueFolderBeside(tracePath: string): string {
  return join(dirname(tracePath), 'catalog');
}

/** Reads every `<domain>.json` of the folder. @throws TraceFault */
export async function readCatalogue(folder: string): Promise<Catalogue> {
  const files = (await namesIn(folder)).filter((name) => name.endsWith('.json')).sort();
  const domains = new Map<string, ReadonlyMap<string, CatalogueTool>>();
  for (const name of files) {
    const { domain, tools } = await readDomain(join(folder, name));
    if (domains.has(domain)) {
      throw new TraceFault(
        join(folder, name),
        undefined,
        `the domain ${domain} is described twice`,
      );
    }
    domains.set(domain, tools);
  }
  return domains;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    throw new TraceFault(
      folder,
      undefined,
      'there is no catalogue here; put catalog/<domain>.json beside the trace, or name its folder',
      error,
    );
  }
}

async function readDomain(
  path: string,
): Promise<{ readonly domain: string; readonly tools: ReadonlyMap<string, CatalogueTool> }> {
  try {
    const { domain, tools } = checked(JSON.parse(await readFile(path, 'utf8')));
    const byName = new Map(tools.map((tool) => [tool.name, tool]));
    if (byName.size < tools.length) throw new Error('two tools have one name');
    return { domain, tools: byName };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new TraceFault(path, undefined, problem, error);
  }
}

/** @throws Error that names the first member in the way, and its tool */
function checked(value: unknown): z.infer<typeof catalogueFile> {
  const parsed = catalogueFile.safeParse(value);
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  const more = parsed.error.issues.length - 1;
  const rest = more === 0 ? '' : ` (and ${more} more)`;
  throw new Error(`${problemOf(value, first)}${rest}`);
}

function problemOf(value: unknown, issue: z.core.$ZodIssue | undefined): string {
  const path = issue?.path ?? [];
  const [list, index, ...inside] = path;
  const isTool = list === 'tools' && typeof index === 'number';
  const where = isTool ? `the tool ${nameOf(value, index)}` : 'the file';
  const member = (isTool ? inside : path).map(String).join('.');
  if (member === 'judgement')
    return `${where} is a write without a judgement: what a second accepted call does, and which fields are identity`;
  if (member === '') return `${where} is not described as it should be`;
  return `${where}: ${member} is missing or wrong (${issue?.message ?? ''})`;
}

/** As it stands there, or its place in the list, from 1. */
function nameOf(value: unknown, index: number): string {
  const { tools } = value as { readonly tools: readonly (null | { readonly name?: unknown })[] };
  const name = tools[index]?.name;
  return typeof name === 'string' && name !== '' ? name : `number ${index + 1}`;
}
