// What every command line waits for, whatever it asks: a command is loaded when it is run, and its packages with it.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';

const imported = /^(?:import|export) (?!type)[^;]*? from '([^']+)';/gms;

/** Of what is loaded with it; `import { type X }` loads too, `import type` does not. */
function packagesOf(
  file: string,
  seen = new Set<string>(),
  found = new Set<string>(),
): Set<string> {
  if (seen.has(file)) return found;
  seen.add(file);
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(imported))
    if (name.startsWith('.')) packagesOf(join(dirname(file), name), seen, found);
    else if (!name.startsWith('node:')) found.add(name);
  return found;
}

it('loads no ledger, no server and no tools before it is known what is asked', () => {
  const mine = (name: string): string => `@action-ledger/${name}`;
  const light = ['commander', ...['domain', 'event-store', 'runtime'].map(mine)];
  const loaded = packagesOf(join('packages', 'cli', 'src', 'run.ts'));
  expect([...loaded].filter((name) => !light.includes(name))).toEqual([]);
  expect(loaded).toContain('commander');
});
