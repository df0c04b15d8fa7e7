import { describe, expect, it } from '@jest/globals';
import { type StoreCondition } from '@action-ledger/event-store';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { seeCondition } from './see-condition.ts';

const lost = { kind: 'recovering', reason: 'It went back.', mark: 9, head: 3 } as const;

function seen() {
  const runtime = createVirtualRuntime();
  const said: string[] = [];
  let condition: StoreCondition = { kind: 'ready' };
  const say = (_: object, text: string): void => {
    said.push(text);
  };
  const seeing = seeCondition(
    { store: { condition: () => condition }, runtime, logger: { error: say, warn: say } },
    () => said.push('outdated'),
  );
  const becomes = async (next: StoreCondition): Promise<void> => {
    condition = next;
    await runtime.advance(10_000);
  };
  return { said, becomes, cancel: seeing.cancel };
}

const recovering = 'recovering: nothing new is recorded or sent';

describe('the condition of the store of a process', () => {
  it('FW25 is said once, and what is confirmed has the process begin anew', async () => {
    const { said, becomes } = seen();
    await becomes({ kind: 'ready' });
    expect(said).toEqual([]);
    await becomes(lost);
    expect(said).toEqual([recovering]);
    await becomes({ ...lost, isConfirmed: true });
    expect(said.slice(2)).toEqual(['outdated']);
  });

  it('is said again where it comes again, and not looked at any more when that is over', async () => {
    const { said, becomes, cancel } = seen();
    await becomes(lost);
    await becomes({ kind: 'ready' });
    await becomes(lost);
    expect(said).toEqual([recovering, recovering]);
    cancel();
    await becomes({ ...lost, isConfirmed: true });
    expect(said).toHaveLength(2);
  });
});
