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
const bare = [...loaded];
const { defineTool } = await import('@action-ledger/tools');
const { z } = await import('zod');
const input = z.object({ order: z.string() });
const refund = defineTool({ name: 'refund', input, guarantee: 'manual', execute: () => 1 });
const own = { url: 'http://127.0.0.1:1', retryForMs: 0, tools: { refund } };
await createLedger(own).catch(() => undefined);
console.log(JSON.stringify({ bare, withTools: [...loaded] }));
`;

interface Loaded {
  readonly bare: readonly string[];
  readonly withTools: readonly string[];
}

function loadedModules(): Loaded {
  const args = ['--conditions=source', '--no-warnings', '--input-type=module', '--eval', listing];
  return JSON.parse(execFileSync('node', args, { encoding: 'utf8' })) as Loaded;
}

function packagesIn(loaded: readonly string[]): readonly string[] {
  const names = loaded.map(
    (url) => /^(packages\/[^/]+|node_modules\/[^/]+)\//.exec(url)?.[1] ?? '',
  );
  return [...new Set(names)].filter((name) => name !== '').sort();
}

const light = ['packages/client', 'packages/domain', 'packages/event-store', 'packages/runtime'];

describe('the entry for a ledger in another process', () => {
  const { bare, withTools } = loadedModules();

  it('loads packages that hold no ledger, and no library', () => {
    expect(packagesIn(bare)).toEqual(light);
  });

  it('loads of the rest what runs tools, where it is given some', () => {
    expect(packagesIn(withTools)).toEqual(['node_modules/zod', ...light, 'packages/tools']);
    expect(withTools.some((url) => url.endsWith('open-own-tools.ts'))).toBe(true);
  });

  it('loads no SQLite', () => {
    expect(bare.length).toBeGreaterThan(10);
    expect(withTools.filter((url) => url.includes('sqlite'))).toEqual([]);
  });
});
