// Two tenants whose callers have a tool of the same name: what one of them does holds nothing of the
// other's back.
import { afterEach, describe, expect, it } from '@jest/globals';
import { type CallerWorld, callerWorld, paying } from '../../test-support/caller-world.ts';
import { type Proposed } from '../index.ts';

let world: CallerWorld | undefined;

async function open(...given: Parameters<typeof callerWorld>): Promise<CallerWorld> {
  world = await callerWorld(...given);
  return world;
}

afterEach(async () => {
  await world?.close();
  world = undefined;
});

const pay = ({ callers }: CallerWorld, tenant: string, invoice: string): Promise<Proposed> =>
  callers().propose({
    tool: 'pay',
    tenant,
    arguments: { invoice, cents: 500 },
    origin: { run: 'r-1' },
    waitMs: 0,
    execute: { worker: `${tenant}/1` },
  });

describe('tools of the same name of two tenants', () => {
  it('are paused one by one when one of them is often in doubt', async () => {
    const opened = await open([paying()], { pauseOnBurst: { unknowns: 2, withinMs: 60_000 } });
    const declarations = [paying()];
    await opened.callers().register({ tenant: 'acme', by: 'bob', declarations });
    const doubt = async (tenant: string, invoice: string): Promise<void> => {
      const { answer, dispatch } = await pay(opened, tenant, invoice);
      const { attempt = 0, claim = 0 } = dispatch ?? {};
      const { actionId = '' } = answer;
      const outcome = { kind: 'in doubt', reason: 'no answer', answered: false } as const;
      await opened.callers().outcome({ actionId, worker: `${tenant}/1`, attempt, claim, outcome });
    };
    await doubt('acme', 'A');
    await doubt('default', 'A');
    expect(opened.ledger().pauses()).toEqual([]);
    await doubt('acme', 'B');
    await opened.runtime.advance(0);
    expect(opened.ledger().pauses()).toMatchObject([{ tenant: 'acme', tool: 'pay' }]);
    expect((await pay(opened, 'acme', 'C')).answer).toMatchObject({ code: 'ledger.paused' });
    expect(await pay(opened, 'default', 'C')).toHaveProperty('dispatch');
  });
});
