import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type Action, newAction } from '@action-ledger/domain';
import { createMemoryEventStore } from '@action-ledger/event-store';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { createLedgerClock } from '../core/ledger-clock.ts';
import { createHeldByPause } from './held-by-pause.ts';
import { createPauses, type PauseScope } from './pauses.ts';

const minute = 60_000;
const because = { by: 'ann', reason: 'the provider is down' };

function setUp() {
  const runtime = createVirtualRuntime();
  const store = createMemoryEventStore();
  const sha256 = (text: string): string => hash('sha256', text, 'base64url');
  const clock = createLedgerClock(runtime.clock);
  const open = () => createPauses({ store, sha256, clock, runtime }, () => undefined);
  const pauses = open();
  /** In how many ms. */
  const due = new Map<string, number>();
  const held = createHeldByPause({
    pauses,
    clock,
    due: {
      set: (id, at) => {
        if (at !== undefined) due.set(id, at - clock.nowMs());
      },
    },
  });
  const waiting = (id: string, tool: string, more: Partial<Action> = {}): Action => ({
    ...newAction(id),
    tenant: 'acme',
    tool,
    status: 'ready',
    validUntil: clock.nowMs() + 10 * minute,
    ...more,
  });
  return { clock, held, due, pauses, another: open(), waiting };
}

async function pauseBoth({ pauses }: Pick<ReturnType<typeof setUp>, 'pauses'>) {
  const scopes: readonly PauseScope[] = [{ tool: 'pay' }, { tool: 'mail' }];
  for (const scope of scopes) await pauses.pause({ ...scope, ...because });
}

describe('what waits for the end of a pause', () => {
  it('is due again in a minute, or when it expires where that is sooner', async () => {
    const { held, due, waiting, clock, ...rest } = setUp();
    expect(held.hold(waiting('a', 'pay'))).toBe(false);
    await pauseBoth(rest);
    const old = { validUntil: clock.nowMs() + 5 };
    expect(held.hold(waiting('a', 'pay'))).toBe(true);
    expect(held.hold(waiting('old', 'pay', old))).toBe(true);
    expect(held.hold(waiting('in doubt', 'pay', { ...old, status: 'unknown' }))).toBe(true);
    expect(held.hold(waiting('b', 'order'))).toBe(false);
    expect([...due]).toEqual([
      ['a', minute],
      ['old', 5],
      ['in doubt', minute],
    ]);
  });

  it('is due at once when its own pause ends, by whomever, and when nothing else holds it', async () => {
    const { held, due, pauses, another, waiting } = setUp();
    await pauseBoth({ pauses });
    for (const tool of ['pay', 'mail']) held.hold(waiting(`to ${tool}`, tool));
    held.hold(waiting('ended', 'pay'));
    held.forget('ended');
    due.clear();
    await another.resume({ tool: 'pay', ...because, revisionSeen: 0 });
    expect([...due]).toEqual([]);
    await pauses.refresh();
    expect([...due]).toEqual([['to pay', 0]]);
    await pauses.resume({ tool: 'mail', ...because, revisionSeen: 1 });
    expect([...due.keys()]).toEqual(['to pay', 'to mail']);
  });
});
