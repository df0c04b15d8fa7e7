// A program that asks a ledger elsewhere must not pay for one of its own: what its entry loads is listed here.
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';

/** Prints each file of this repository and each built-in module that is loaded after it. */
const listing = `
import { registerHooks } from 'node:module';
const loaded = new Set();
registerHooks({
  load(url, context, next) {
    loaded.add(url.replace(/^.*[/](packages|services|node_modules)[/]/, '$1/'));
    return next(url, context);
  },
});
const { createLedger } = await import('@action-ledger/client/remote');
const ledger = await createLedger({ url: 'http://127.0.0.1:1' });
await ledger.close();
console.log(JSON.stringify([...loaded]));
`;

function loadedModules(): readonly string[] {
  const args = ['--conditions=source', '--no-warnings', '--input-type=module', '--eval', listing];
  return JSON.parse(execFileSync('node', args, { encoding: 'utf8' })) as readonly string[];
}

describe('the entry for a ledger in another process', () => {
  const loaded = loadedModules();

  it('loads packages that hold no ledger, and no library', () => {
    const packages = new Set(
      loaded.map((url) => /^(packages\/[^/]+|node_modules)\//.exec(url)?.[1]),
    );
    packages.delete(undefined);
    expect([...packages].sort()).toEqual([
      'packages/client',
      'packages/domain',
      'packages/event-store',
      'packages/runtime',
    ]);
  });

  it('loads no SQLite', () => {
    expect(loaded.length).toBeGreaterThan(10);
    expect(loaded.filter((url) => url.includes('sqlite'))).toEqual([]);
  });
});
