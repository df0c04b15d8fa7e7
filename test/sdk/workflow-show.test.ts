// `action-ledger workflow show --url`: a workflow of a ledger elsewhere, as of a file.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runCli } from '../e2e/run-cli.ts';
import { openWorld, type World } from './world.ts';

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
    const show = (id: string, key: string): ReturnType<typeof runCli> =>
      runCli(['workflow', 'show', id, '--url', world.url], { env: { ACTION_LEDGER_API_KEY: key } });
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
