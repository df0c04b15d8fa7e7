// The recorded calls themselves, which are not part of the project: looked for beside it, or where
// ACTION_LEDGER_TRACES points; without them these tests are skipped and say so.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createSystemRuntime } from '@action-ledger/runtime';
import { createToolSet, defineTool } from '@action-ledger/tools';
import { catalogueFolderBeside, readCatalogue } from '../traces/catalogue.ts';
import { readRuns } from '../traces/read-trace.ts';
import { createProvider } from '../provider/provider.ts';
import { declareTools } from './declare-tools.ts';
import { planRun, type PlayCall, type PlayRun } from './play-plan.ts';
import { sandboxTools } from './sandbox-tools.ts';

const sample = join(process.cwd(), 'packages/sandbox/samples/shop.ndjson');
const folder = process.env['ACTION_LEDGER_TRACES'] ?? join(process.cwd(), '../shared/traces');
const small = ['agentdojo-banking', 'agentdojo-office', 'airline', 'retail', 'telecom'].map(
  (name) => join(folder, `${name}-small.ndjson`),
);
const isHere = small.every((path) => existsSync(path));
if (!isHere) process.stderr.write(`skipped: no recorded calls in ${folder}\n`);

interface Counts {
  calls: number;
  reads: number;
  writes: number;
  unknown: number;
  invalid: number;
}

/** Checks every proposal as the ledger's door does, without a ledger. */
async function countsOf(paths: readonly string[]): Promise<Counts> {
  const counts: Counts = { calls: 0, reads: 0, writes: 0, unknown: 0, invalid: 0 };
  const provider = createProvider({ runtime: createSystemRuntime() });
  for (const path of paths) {
    const declared = declareTools(await readCatalogue(catalogueFolderBeside(path)));
    const tools = new Map(
      sandboxTools(declared, provider).map((tool) => [tool.name, defineTool(tool)]),
    );
    for await (const run of readRuns(path)) {
      for (const call of planRun(run, declared).calls) {
        counts.calls += 1;
        if (call.kind === 'read') counts.reads += 1;
        else counts.writes += 1;
        if (call.kind === 'unknown') counts.unknown += 1;
        if (call.kind !== 'write') continue;
        const valid = tools.get(call.tool.name)?.validate(call.arguments);
        if (valid?.kind !== 'valid') counts.invalid += 1;
      }
    }
  }
  return counts;
}

async function plansOf(path: string): Promise<readonly PlayRun[]> {
  const declared = declareTools(await readCatalogue(catalogueFolderBeside(path)));
  const plans: PlayRun[] = [];
  for await (const run of readRuns(path)) plans.push(planRun(run, declared));
  return plans;
}

describe('the shipped sample', () => {
  it('has what an independent count finds in it', async () => {
    expect(await countsOf([sample])).toEqual({
      calls: 85,
      reads: 12,
      writes: 73,
      unknown: 1,
      invalid: 4,
    });
  });

  it('has tools of every guarantee, which can be registered together', async () => {
    const declared = declareTools(await readCatalogue(catalogueFolderBeside(sample)));
    const provider = createProvider({ runtime: createSystemRuntime() });
    const tools = sandboxTools(declared, provider).map((tool) => defineTool(tool));
    expect(() => createToolSet(tools)).not.toThrow();
    expect([...new Set(tools.map((tool) => tool.rules.guarantee))].sort()).toEqual([
      'idempotent',
      'lookup',
      'manual',
      'natural',
    ]);
  });

  it('delivers the same call again, and makes the same call anew', async () => {
    const calls = (await plansOf(sample)).flatMap((plan) => plan.calls);
    const name = ({ origin, arguments: args }: PlayCall): string =>
      JSON.stringify([origin.run, origin.turn, origin.call, args]);
    expect(new Set(calls.map(name)).size).toBe(calls.length - 5);
  });
});

(isHere ? describe : describe.skip)(`recorded calls in ${folder}`, () => {
  it('have what an independent count finds in the five small files', async () => {
    expect(await countsOf(small)).toEqual({
      calls: 5_274,
      reads: 3_082,
      writes: 2_192,
      unknown: 2,
      invalid: 46,
    });
  });

  it('name no tool that two domains describe differently', async () => {
    const declared = declareTools(await readCatalogue(join(folder, 'catalog')));
    const names = [...declared.values()].flatMap((tools) => [...tools.values()]);
    expect(names.filter(({ name }) => name.includes('.'))).toEqual([]);
  });
});
