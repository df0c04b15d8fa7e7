// The tools that callers declare: of one tenant each, on record, and never under another identity
// without saying so.
import { afterEach, describe, expect, it } from '@jest/globals';
import { createLedger } from '@action-ledger/client';
import { defineTool } from '@action-ledger/tools';
import { z } from 'zod';
import { type JsonObject, type JsonValue } from '@action-ledger/domain';
import { type CallerWorld, callerWorld, handed, paying } from '../../test-support/caller-world.ts';

let world: CallerWorld | undefined;

async function open(...given: Parameters<typeof callerWorld>): Promise<CallerWorld> {
  world = await callerWorld(...given);
  return world;
}

afterEach(async () => {
  await world?.close();
  world = undefined;
});

const by = { tenant: 'default', by: 'agent' } as const;

const eventsOf = async ({ store }: CallerWorld): Promise<number> =>
  (await store.readStream('caller-tools')).length;

const namesOf = ({ callers }: CallerWorld, tenant: string): readonly string[] =>
  callers()
    .tools(tenant)
    .map(({ name }) => name);

const byExpression = {
  type: 'object',
  properties: { invoice: { type: 'string', pattern: '^(a+)+$', default: `${'a'.repeat(40)}!` } },
};

describe('what callers declare', () => {
  it('is known to the callers of their tenant alone', async () => {
    const opened = await open([]);
    const declarations = [paying(), paying({ name: 'refund' })];
    const told = await opened.callers().register({ ...by, declarations });
    expect(told).toMatchObject([{ name: 'pay' }, { name: 'refund' }]);
    expect(namesOf(opened, 'default')).toEqual(['pay', 'refund']);
    expect(namesOf(opened, 'acme')).toEqual([]);
    expect(namesOf(opened, 'defaul')).toEqual([]);
  });

  it('is another tool in another tenant, whatever it says there', async () => {
    const opened = await open();
    const other = paying({ identity: ['cents'] });
    await opened.callers().register({ tenant: 'acme', by: 'bob', declarations: [other] });
    expect(namesOf(opened, 'acme')).toEqual(['pay']);
    const [own] = opened.callers().tools('default');
    expect(own?.declaration.identity).toEqual(['invoice']);
  });

  it('said again is no event', async () => {
    const opened = await open();
    const { actionId } = await handed(opened, 'agent/1');
    await opened.callers().register({ ...by, declarations: [paying()] });
    expect(await eventsOf(opened)).toBe(1);
    expect((await opened.action(actionId)).status).toBe('dispatched');
  });

  it('may change what does not name its actions, also while one is open', async () => {
    const opened = await open();
    const held = await handed(opened, 'agent/1');
    const slower = paying({ timeoutMs: 60_000, description: 'Pays slowly.' });
    await opened.callers().register({ ...by, declarations: [slower] });
    expect(await eventsOf(opened)).toBe(2);
    expect(await opened.propose('agent/2')).toMatchObject({ answer: { actionId: held.actionId } });
    expect(await opened.outcome(held)).toMatchObject({ kind: 'outcome' });
    expect((await handed(opened, 'agent/2', { invoice: 'B' })).dispatch.timeoutMs).toBe(60_000);
  });

  it('changes its identity only under a new version, and then knows the older names', async () => {
    const opened = await open();
    const held = await handed(opened, 'agent/1');
    await opened.outcome(held);
    const silent = paying({ identity: ['cents'] });
    expect(await opened.callers().register({ ...by, declarations: [silent] })).toMatchObject({
      kind: 'refusal',
      code: 'tool.identity-changed',
    });
    expect(await eventsOf(opened)).toBe(1);
    const said = paying({
      identity: ['cents'],
      identityVersion: 2,
      previously: [{ identityVersion: 1, identity: ['invoice'] }],
    });
    expect(await opened.callers().register({ ...by, declarations: [said] })).toHaveLength(1);
    expect(await opened.propose('agent/2')).toMatchObject({
      answer: { word: 'already-done', actionId: held.actionId },
    });
    expect(await opened.callers().register({ ...by, declarations: [paying()] })).toMatchObject({
      code: 'tool.identity-version-lowered',
    });
  });

  it('loses what guards it by the word of an operator only, and people are told', async () => {
    const told: object[] = [];
    const guarded = paying({ approval: { votes: 2 }, keyWindow: '24h' });
    const opened = await open([guarded], { onNotice: (notice) => void told.push(notice) });
    const looser = paying({ approval: { votes: 1 }, keyWindow: '30d' });
    for (const declaration of [looser, paying(), paying({ approval: true, guarantee: 'natural' })])
      expect(await opened.callers().register({ ...by, declarations: [declaration] })).toMatchObject(
        { code: 'tool.rules-loosened' },
      );
    expect(await eventsOf(opened)).toBe(1);
    const stricter = paying({ approval: { votes: 3 }, keyWindow: '12h', undoWindow: '1min' });
    expect(await opened.callers().register({ ...by, declarations: [stricter] })).toHaveLength(1);
    expect(told).toEqual([]);
    const asked = { ...by, declarations: [looser], mayLoosen: true };
    expect(await opened.callers().register(asked)).toHaveLength(1);
    const rules = ['approval', 'undoWindow', 'keyWindow'];
    expect(told).toEqual([
      { kind: 'rules loosened', tenant: 'default', tool: 'pay', by: 'agent', rules },
    ]);
  });

  it.each<[string, JsonValue, string]>([
    ['a text', 'pay', 'tool.declaration'],
    ['a misspelt rule', { ...paying(), timeout: 5 }, 'tool.declaration'],
    ['a version beyond counting', { ...paying(), identityVersion: 1_000_001 }, 'tool.declaration'],
    ['no guarantee', { ...paying(), guarantee: null }, 'tool.declaration'],
    ['a rule that contradicts another', { ...paying(), identity: ['nothing'] }, 'tool.declaration'],
    ['an expression', { ...paying(), input: byExpression }, 'tool.declaration'],
    ['too long', { ...paying(), description: 'x'.repeat(70_000) }, 'tool.declaration'],
    ['a name of another', { ...paying(), description: 'Once more.' }, 'tool.declaration'],
    ['what the ledger serves', paying({ name: 'greet' }), 'tool.served-here'],
  ])('%s is refused, and nothing beside it is declared', async (_what, declaration, code) => {
    const opened = await open([]);
    const declarations = [paying(), declaration];
    expect(await opened.callers().register({ ...by, declarations })).toMatchObject({
      kind: 'refusal',
      code,
    });
    expect(namesOf(opened, 'default')).toEqual([]);
  });

  it('is as much of one tenant as there is room for', async () => {
    const opened = await open([]);
    const form = { input: { type: 'object' }, guarantee: 'manual', scope: 'call' } as const;
    const longest = Array.from({ length: 64 }, (_, n) => {
      const named = { ...form, name: `pay${n}`, description: '' };
      return { ...named, description: 'x'.repeat(64 * 1_024 - JSON.stringify(named).length) };
    });
    const declare = (tenant: string, declarations: readonly JsonValue[]): Promise<unknown> =>
      opened.callers().register({ tenant, by: 'agent', declarations });
    expect(await declare('default', longest)).toHaveLength(64);
    expect(await declare('default', [paying()])).toMatchObject({ code: 'tool.too-many' });
    expect(await declare('acme', [paying()])).toHaveLength(1);
  });

  it('is known again after a restart', async () => {
    const opened = await open();
    await opened.restart();
    expect(namesOf(opened, 'default')).toEqual(['pay']);
    expect(await opened.propose('agent/1')).toHaveProperty('dispatch');
  });

  it('of two processes at once is declared once', async () => {
    const opened = await open([]);
    const same = { ...by, declarations: [paying()] };
    const both = await Promise.all([
      opened.callers().register(same),
      opened.callers().register(same),
    ]);
    expect(both).toEqual([expect.any(Array), expect.any(Array)]);
    expect(await eventsOf(opened)).toBe(1);
  });
});

describe('a ledger that serves from now on what callers carried out', () => {
  const serving = async (declaration: JsonObject): Promise<readonly unknown[]> => {
    const { store, runtime, ledger } = await open([declaration]);
    await ledger().close();
    world = undefined;
    const pay = defineTool({
      name: 'pay',
      input: z.object({ invoice: z.string(), cents: z.int() }),
      identity: ['invoice'],
      guarantee: 'manual',
      execute: ({ beforeSend }) => {
        beforeSend();
        return null;
      },
    });
    const serves = await createLedger({ store, runtime, tools: [pay] });
    const word = async (tenant: string): Promise<unknown> => {
      const asked = { tool: 'pay', arguments: { invoice: 'A', cents: 5 }, waitMs: 1_000 } as const;
      const { word: told, code } = await serves.propose({ ...asked, tenant, origin: { run: 'r' } });
      return code ?? told;
    };
    const words = [await word('default'), await word('acme')];
    await serves.close();
    return words;
  };

  it('may do so under the same identity', async () => {
    expect(await serving(paying())).toEqual(['done', 'done']);
  });

  it('does so for other tenants only, where the actions of one would be named otherwise', async () => {
    for (const other of [paying({ identity: ['cents'] }), paying({ identityVersion: 1_000_000 })])
      expect(await serving(other)).toEqual(['tool.unknown', 'done']);
  });
});
