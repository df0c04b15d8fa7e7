// For how long the claim of a dispatch that was handed out is taken to be held.
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { type HandedOut } from '@action-ledger/application';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { defineTool } from '@action-ledger/tools';
import { type Told } from '../ask.ts';
import { carryOut } from './carry-out.ts';

const dispatch: HandedOut = {
  attempt: 1,
  claim: 1,
  downstreamKey: 'key-1',
  timeoutMs: 1_000,
  deadlineAt: 1_000,
  timeLeftMs: 1_000,
  inFlightMs: 2_000,
  leaseMs: 400,
  leaseUntil: 400,
  leaseLeftMs: 400,
  arguments: {},
  attempts: [],
  evidence: [],
};

const away = { kind: 'fault', fault: new Error('away') };

/** @returns what it reports where it sends so late, after one extension, at 200 ms, that was answered so */
async function sendsAt(ms: number, extended: object): Promise<string | undefined> {
  const runtime = createVirtualRuntime();
  const extensions = [{ body: extended }];
  let reported: string | undefined;
  const tool = defineTool({
    name: 'pay',
    input: z.object({}),
    scope: 'call',
    guarantee: 'manual',
    execute: async ({ beforeSend }) => {
      await new Promise<void>((resolve) => runtime.timers.after(ms, resolve));
      beforeSend();
      return 'paid';
    },
  });
  const triedMono = runtime.clock.monoMs();
  const deps = {
    runtime,
    tenant: 'acme',
    late: () => undefined,
    ask: async ({ path, body }: { readonly path: string; readonly body?: unknown }) => {
      const said = { kind: 'answer', inDoubt: false, triedMono: runtime.clock.monoMs() };
      if (path.endsWith('/claim/extend'))
        return { ...said, ...(extensions.shift() ?? away) } as Told;
      reported = (body as { readonly outcome: { readonly kind: string } }).outcome.kind;
      const answer = { word: 'done', state: 'succeeded', messageForModel: '' };
      return { ...said, body: { answer } } as unknown as Told;
    },
    pause: async () => undefined,
    onFault: () => undefined,
    closed: new AbortController().signal,
    sha256: (text: string) => text.slice(0, 9),
  };
  const begun = { startedMono: triedMono, startedAt: runtime.clock.wallMs() };
  const carried = { ...begun, tool, actionId: 'a.0', worker: 'w', dispatch, args: {} };
  const done = carryOut(deps, carried, new AbortController());
  await runtime.advance(ms);
  await done;
  return reported;
}

describe('a claim that was extended', () => {
  it.each([
    ['is held for what the ledger has granted', 449, { leaseLeftMs: 250 }, 'succeeded'],
    ['is held for no longer than that', 450, { leaseLeftMs: 250 }, 'not sent'],
    ['is held for as long as before, at least', 399, { leaseLeftMs: 0 }, 'succeeded'],
    ['is held for no longer than before, where nothing is said of it', 400, {}, 'not sent'],
  ])('%s', async (_what, ms, extended, kind) => {
    // What was handed out lasts until 400.
    expect(await sendsAt(ms, extended)).toBe(kind);
  });
});
