// The tools of recorded calls as a module that services load: which catalogues, and where they send, the
// play that started them says in the environment.
import { connectProvider, sandboxTools } from '@action-ledger/sandbox';
import { defineTool } from '@action-ledger/tools';
import { readToolsIn } from '../play-files.ts';

const { PLAY_CATALOGUES: catalogues = '[]', PLAY_PROVIDER: provider = '' } = process.env;
const declared = await readToolsIn(JSON.parse(catalogues) as readonly string[]);

export const tools = sandboxTools(declared, connectProvider(provider)).map((tool) =>
  defineTool(tool),
);
