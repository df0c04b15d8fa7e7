// The runs of all files, one after the other as they are read, and the tools of their catalogues.
import { statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import {
  type Catalogue,
  catalogueFolderBeside,
  declareTools,
  type DeclaredTools,
  planRun,
  type PlayRun,
  readCatalogue,
  readRuns,
  readTrace,
} from '@action-ledger/sandbox';
import { CliError } from '../cli-error.ts';

/**
 * Before anything else is looked at: what is wrong with a file is told before what is wrong beside it.
 * @throws CliError where a file is missing or holds no calls
 */
export async function checkFiles(files: readonly string[]): Promise<void> {
  for (const file of files) {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) {
      throw new CliError('play.no-calls', `there is no file ${file}`, {
        fix: 'name a file of recorded calls, .ndjson or .ndjson.gz.',
      });
    }
    if (found.isDirectory()) {
      throw new CliError('play.no-calls', `${file} is a folder`, {
        fix: 'name the files of recorded calls in it, .ndjson or .ndjson.gz.',
      });
    }
    const calls = readTrace(file);
    const first = await calls.next();
    await calls.return(undefined);
    if (first.done === true) {
      throw new CliError('play.no-calls', `${file} holds no calls`, {
        fix: 'a line of it is one call, as docs/recorded-calls.md describes.',
      });
    }
  }
}

/** Where the tools of the files stand, each folder once. */
export function cataloguesOf(
  files: readonly string[],
  folder: string | undefined,
): readonly string[] {
  return folder === undefined ? [...new Set(files.map(catalogueFolderBeside))] : [folder];
}

/** Domains of several folders together. @throws CliError where two describe one domain differently */
export async function readToolsIn(folders: readonly string[]): Promise<DeclaredTools> {
  const all = new Map<string, Catalogue extends ReadonlyMap<string, infer Tools> ? Tools : never>();
  for (const each of new Set(folders)) {
    for (const [domain, tools] of await readCatalogue(each)) {
      const known = all.get(domain);
      if (known !== undefined && !isDeepStrictEqual(known, tools)) {
        throw new CliError(
          'play.catalogues',
          `two catalogues describe the domain ${domain} differently (the second is ${each})`,
          { fix: 'play the files one by one, or name one catalogue with --catalogue DIR.' },
        );
      }
      all.set(domain, tools);
    }
  }
  return declareTools(all);
}

/** A run that comes twice, in two files, is another tenant the second time. */
export async function* planRuns(
  files: readonly string[],
  tools: DeclaredTools,
  runsMax: number,
): AsyncGenerator<PlayRun> {
  const seen = new Map<string, number>();
  let played = 0;
  for (const file of files) {
    for await (const run of readRuns(file)) {
      if (played >= runsMax) return;
      played += 1;
      const times = (seen.get(run.run) ?? 0) + 1;
      seen.set(run.run, times);
      const plan = planRun(run, tools);
      yield times === 1 ? plan : { ...plan, tenant: `${plan.tenant}#${times}` };
    }
  }
}
