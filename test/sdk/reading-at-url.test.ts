// Commands that read a ledger elsewhere, by `--url`, as they read a file.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { run } from '@action-ledger/cli';
import { createSystemRuntime } from '@action-ledger/runtime';
import { openWorld, type World } from './world.ts';

interface Told {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function runCli(args: readonly string[], key: string): Promise<Told> {
  let [out, err] = ['', ''];
  const code = await run([...args], {
    out: (text) => (out += text),
    err: (text) => (err += text),
    isTerminal: false,
    isColoured: false,
    columns: undefined,
    env: { ACTION_LEDGER_API_KEY: key },
    runtime: createSystemRuntime(),
    version: '0.0.0',
  });
  return { code, out, err };
}

let world: World;

beforeEach(async () => {
  world = await openWorld('remote', 'memory');
});
afterEach(() => world.close());

describe('workflow show --url', () => {
  it('shows it with its steps, and says why it cannot', async () => {
    const ledger = await world.remote();
    await ledger.workflow({ id: 'trip' }, (step) =>
      step('hotel', ledger.tool('book'), { invoice: 'H' }, { compensate: 'impossible' }),
    );
    const show = (id: string, key: string): Promise<Told> =>
      runCli(['workflow', 'show', id, '--url', world.url], key);
    const shown = await show('trip', 'ann');
    expect(shown).toMatchObject({ code: 0, err: '' });
    expect(shown.out).toContain('hotel: ');
    expect(shown.out).toContain('completed');
    expect(await show('none', 'ann')).toMatchObject({
      code: 1,
      err: expect.stringContaining('none'),
    });
    const nobody = await show('trip', 'nobody');
    expect(nobody).toMatchObject({
      code: 1,
      err: expect.stringContaining('ACTION_LEDGER_API_KEY'),
    });
  });
});

describe('lists and pages --url', () => {
  it('show what is there, and say what cannot be asked', async () => {
    const ledger = await world.remote();
    const ask = (...args: readonly string[]): Promise<Told> =>
      runCli([...args, '--url', world.url], 'ann');
    const { actionId = '' } = await ledger.tool('book').call({ invoice: 'H' }, { run: 'r-1' });
    for (const id of ['trip-1', 'trip-2'])
      await ledger.workflow({ id }, (step) =>
        step('hotel', ledger.tool('book'), { invoice: id }, { compensate: 'impossible' }),
      );

    const list = await ask('actions', 'list', '--run', 'r-1');
    expect(list).toMatchObject({ code: 0, err: '' });
    expect(list.out).toContain(`${actionId}  book  `);
    expect(list.out).toContain('1 action listed.');
    const page = await ask('actions', 'show', actionId);
    expect(page.out).toMatch(/status +succeeded since /);
    const shown = await ask('actions', 'show', actionId, '--json');
    expect(JSON.parse(shown.out)).toMatchObject({ id: actionId, status: 'succeeded' });
    const workflows = await ask('workflow', 'list', '--limit', '1', '--json');
    expect(JSON.parse(workflows.out)).toMatchObject({ workflows: [{ name: 'trip-2' }] });
    expect(await ledger.workflows.list({ limit: 5 })).toHaveLength(2);
    expect((await ask('workflow', 'list')).out).toContain('2 workflows listed.');
    expect((await ask('observed')).out).toBe('No call was only observed.\n');

    expect(await ask('actions', 'list', '--open')).toMatchObject({ code: 2 });
    expect(await ask('workflow', 'list', '--tenant', 'acme')).toMatchObject({ code: 2 });
    const none = await ask('actions', 'show', `${'x'.repeat(43)}.0`);
    expect(none).toMatchObject({ code: 1, err: expect.stringContaining('there is no action') });
  });
});
