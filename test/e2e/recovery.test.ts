// FW25 in full: a ledger is restored to a backup that is a thousand actions old. Nothing runs until a
// person has confirmed it; then the same thousand calls are made again, and the provider has counted
// one effect for each action.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { createLedger, defineTool, type Ledger, type Outcome } from '@action-ledger/client';
import { type Guarantee } from '@action-ledger/domain';
import { createSystemRuntime } from '@action-ledger/runtime';
import {
  createProvider,
  executeAt,
  lookUpAt,
  type SandboxProvider,
  type ToolBehaviour,
} from '@action-ledger/sandbox';
import { type Tool, type ToolDefinition } from '@action-ledger/tools';
import { type Folder, runCli, temporaryFolder } from './run-cli.ts';

const guarantees = ['idempotent', 'lookup', 'natural', 'manual'] as const;
const actionsLost = 1_000;
const actionsKept = 40;
const atOnce = 50;

type Arguments = { readonly order: string };

function toolFor(guarantee: Guarantee, provider: SandboxProvider): Tool {
  const definition: ToolDefinition<Arguments> = {
    name: `pay_${guarantee}`,
    input: z.object({ order: z.string() }),
    identity: ['order'],
    guarantee,
    ...(guarantee === 'idempotent' ? { keyWindow: '24h' } : {}),
    ...(guarantee === 'lookup' ? { lookup: lookUpAt(provider) } : {}),
    // A machine that is busy must not bring doubts of its own.
    timeoutMs: 20_000,
    inFlightMs: 20_500,
    settleMs: 100,
    execute: executeAt(provider),
  };
  return defineTool(definition);
}

function behaviourOf(tool: string): ToolBehaviour {
  if (tool === 'pay_idempotent') return { keyWindowMs: 24 * 3_600_000 };
  return tool === 'pay_natural' ? { entity: ({ order }) => JSON.stringify(order) } : {};
}

let folder: Folder;
let path: string;
let ledger: Ledger | undefined;

beforeEach(() => {
  folder = temporaryFolder();
  path = folder.file('ledger.db');
});

afterEach(async () => {
  await ledger?.close();
  folder.remove();
});

/** The calls of the actions numbered so, the guarantees in turn. */
async function call(from: number, through: number, waitMs: number): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const one = async (number: number): Promise<void> => {
    const guarantee = guarantees[number % guarantees.length] ?? 'manual';
    const outcome = await ledger?.propose({
      tool: `pay_${guarantee}`,
      arguments: { order: `order-${number}` },
      tenant: 'acme',
      origin: { run: 'run-1', turn: '1', call: `call-${number}` },
      waitMs,
    });
    if (outcome !== undefined) outcomes.push(outcome);
  };
  for (let start = from; start <= through; start += atOnce) {
    const end = Math.min(through, start + atOnce - 1);
    const numbers = Array.from({ length: end - start + 1 }, (_, index) => start + index);
    await Promise.all(numbers.map(one));
  }
  return outcomes;
}

const words = (outcomes: readonly Outcome[]): readonly string[] => [
  ...new Set(outcomes.map(({ word, code }) => `${word} ${code ?? ''}`.trim())),
];

async function command(...args: readonly string[]): Promise<void> {
  expect(await runCli(args)).toMatchObject({ code: 0, err: '' });
}

describe('a ledger that is restored to a backup of a thousand actions ago', () => {
  it('FW25 runs nothing until it is recovered, and then has one effect for each action', async () => {
    const provider = createProvider({ runtime: createSystemRuntime(), behaviour: behaviourOf });
    const tools = guarantees.map((guarantee) => toolFor(guarantee, provider));
    const open = async (): Promise<Ledger> => (ledger = await createLedger({ path, tools }));
    const effects = (): number => provider.tally().reduce((sum, of) => sum + of.effects, 0);
    const all = actionsKept + actionsLost;

    await open();
    expect(words(await call(1, actionsKept, 30_000))).toEqual(['done']);
    await command('backup', '--path', path, '--to', folder.file('copy.db'));
    expect(words(await call(actionsKept + 1, all, 30_000))).toEqual(['done']);
    expect(effects()).toBe(all);
    await ledger?.close();

    await command('restore', '--path', path, '--from', folder.file('copy.db'));
    await open();
    expect(words(await call(1, actionsKept, 0))).toEqual(['already-done']);
    expect(words(await call(actionsKept + 1, all, 0))).toEqual(['checking ledger.recovering']);
    expect(ledger?.list({ limit: all })).toHaveLength(actionsKept);
    expect(provider.arrivals).toHaveLength(all);
    await ledger?.close();

    const confirmed = ['--confirm', '--by', 'ada', '--reason', 'a drill'];
    await command('recover', '--path', path, ...confirmed);
    await open();
    // So that nothing has to be waited for one by one: all of them wait for the same bound.
    await call(actionsKept + 1, all, 0);
    const again = await call(actionsKept + 1, all, 60_000);
    expect(words(again)).toEqual(expect.arrayContaining(['already-done', 'checking']));
    expect(effects()).toBe(all);
    expect(provider.tally().filter((of) => of.effects !== 1)).toEqual([]);

    const rows = ledger?.list({ limit: all + 1 }) ?? [];
    expect(rows).toHaveLength(all);
    const manual = rows.filter(({ status }) => status === 'unknown');
    expect(manual).toHaveLength(actionsLost / guarantees.length);
    for (const row of manual) expect(row).toMatchObject({ tool: 'pay_manual', owner: 'operator' });
    const succeeded = rows.filter(({ status }) => status === 'succeeded');
    expect(succeeded).toHaveLength(all - manual.length);
    // What can be found or needs a person was not sent a second time.
    const twice = provider.tally().filter(({ requests }) => requests > 1);
    expect(new Set(twice.map(({ tool }) => tool))).toEqual(
      new Set(['pay_idempotent', 'pay_natural']),
    );
    await ledger?.close();
    await command('verify', '--path', path);
  });
});
