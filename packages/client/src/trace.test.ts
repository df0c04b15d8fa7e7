// The trace of a proposal: kept with the action, given to its tool, and no part of what the action is.
import { describe, expect, it } from '@jest/globals';
import { createMemoryEventStore } from '@action-ledger/event-store';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { z } from 'zod';
import { createLedger, defineTool } from './index.ts';

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const other = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b8-01';

function createWorld(): {
  readonly got: unknown[];
  readonly open: () => ReturnType<typeof createLedger>;
  readonly runtime: ReturnType<typeof createVirtualRuntime>;
} {
  const inner = createMemoryEventStore();
  const runtime = createVirtualRuntime();
  const got: unknown[] = [];
  const pay = defineTool({
    name: 'pay',
    input: z.object({ invoice: z.string() }),
    guarantee: 'lookup',
    execute: ({ traceparent: parent, tracestate, beforeSend }) => {
      beforeSend();
      got.push(['execute', parent, tracestate]);
      throw new Error('lost');
    },
    lookup: ({ traceparent: parent, tracestate }) => {
      got.push(['lookup', parent, tracestate]);
      return { verdict: 'found', result: 'paid' };
    },
  });
  const store = { ...inner, close: () => Promise.resolve() };
  return { got, runtime, open: () => createLedger({ store, runtime, tools: { pay } }) };
}

describe('a trace', () => {
  it('is given to execute and lookup, also by a process that was started later', async () => {
    const { got, runtime, open } = createWorld();
    const first = await open();
    const asked = { run: 'r', traceparent, tracestate: 'a=1', waitMs: 0 };
    const calling = first.tools['pay']?.call({ invoice: '1' }, asked);
    await runtime.settle();
    const { actionId = '' } = (await calling) ?? {};
    const closing = first.close({ drainMs: 0 });
    await runtime.advance(1);
    await closing;
    const second = await open();
    await runtime.advance(120_000);
    expect(got).toEqual([
      ['execute', traceparent, 'a=1'],
      ['lookup', traceparent, 'a=1'],
    ]);
    const loaded = await second.load(actionId);
    expect(loaded).toMatchObject({ action: { trace: { traceparent, tracestate: 'a=1' } } });
    await second.close();
  });

  it('makes no other action, and is that of the call which created it', async () => {
    const { got, runtime, open } = createWorld();
    const ledger = await open();
    const call = async (trace: object): Promise<unknown> => {
      const calling = ledger.tools['pay']?.call({ invoice: '1' }, { run: 'r', ...trace });
      await runtime.advance(120_000);
      return (await calling)?.repeat;
    };
    expect([
      await call({ traceparent }),
      await call({ traceparent: other }),
      await call({}),
    ]).toEqual([false, true, true]);
    expect(got[0]).toEqual(['execute', traceparent, undefined]);
    await ledger.close();
  });

  it('that is malformed is ignored, not refused', async () => {
    const { got, runtime, open } = createWorld();
    const ledger = await open();
    const malformed = { traceparent: 'x\r\ny: z', tracestate: 'a=1' };
    const calling = ledger.tools['pay']?.call({ invoice: '1' }, { run: 'r', ...malformed });
    await runtime.advance(120_000);
    expect(await calling).toMatchObject({ word: 'done' });
    expect(got[0]).toEqual(['execute', undefined, undefined]);
    await ledger.close();
  });
});
