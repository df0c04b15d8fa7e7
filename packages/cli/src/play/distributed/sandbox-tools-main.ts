// The tools of recorded calls as a module that services load: which catalogues, and where they send, the
// play that started them says in the environment.
import { connectProvider, sandboxTools } from '@action-ledger/sandbox';
import { defineTool } from '@action-ledger/tools';
import { readToolsIn } from '../play-files.ts';

const { PLAY_CATALOGUES: catalogues = '[]', PLAY_PROVIDER: provider = '' } = process.env;
const declared = await readToolsIn(JSON.parse(catalogues) as readonly string[]);
/** Between a record and its send lie a disk and a process that shares its machine with seven others. */
const pace = 20;

export const tools = sandboxTools(declared, connectProvider(provider), pace).map((tool) =>
  defineTool(tool),
);
