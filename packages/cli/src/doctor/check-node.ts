// The Node that runs this, and the SQLite in it.
import { fail, type Finding, ok } from './finding.ts';

const needed = { major: 22, minor: 16 };

export interface NodeVersions {
  readonly node: string;
  readonly sqlite?: string | undefined;
  readonly execPath: string;
}

export function checkNode({ node, sqlite, execPath }: NodeVersions): readonly Finding[] {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const isNew = major > needed.major || (major === needed.major && minor >= needed.minor);
  const install = `install Node ${needed.major}.${needed.minor} or newer, or run \`npm ci\` for the one that comes with the repository.`;
  return [
    isNew ? ok('Node', `${node} at ${execPath}`) : fail('Node', `${node} is too old`, install),
    sqlite === undefined
      ? fail('SQLite', 'this Node has no node:sqlite', install)
      : ok('SQLite', `${sqlite}, built into Node`),
  ];
}
