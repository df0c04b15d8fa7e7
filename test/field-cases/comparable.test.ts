// Faults that were seen in comparable tools, and reproduced there.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { createLedger } from '@action-ledger/client';
import { openSqliteEventStore } from '@action-ledger/event-store-sqlite';
import { createSystemRuntime } from '@action-ledger/runtime';
import {
  ackLost,
  createProvider,
  declined,
  executeAt,
  lookUpAt,
  type ProviderPort,
  slow,
} from '@action-ledger/sandbox';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { type AttemptContext, type Tool, type ToolDefinition } from '@action-ledger/tools';
import {
  call,
  effects,
  hour,
  inCase,
  minute,
  overStores,
  patience,
  type Process,
  replayed,
  requests,
  second,
  writeTool,
} from './case.ts';

const input = z.object({ order: z.object({ id: z.string() }), amount: z.int() });
type Args = z.output<typeof input>;
const args = { order: { id: 'o-1' }, amount: 500 };
const refund =
  (more: Partial<ToolDefinition<Args>> = {}) =>
  (port: ProviderPort) => [writeTool<Args>(port, { name: 'refund', input, ...more })];

/** Nothing of it reaches the store until it is let go: its loop is blocked, or its network is. */
function block({ script }: Process): { readonly release: () => void } {
  let release = (): void => undefined;
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  for (const type of ['ClaimExtended', 'ActionSucceeded'])
    script.onAppend({ kind: 'asked late', until }, ({ events }) => events[0]?.type === type);
  return {
    release: () => {
      release();
    },
  };
}

describe('F201 honest lookup, worker still sending', () => {
  overStores((store) => {
    it.each(['lookup', 'idempotent'] as const)(
      'of a %s tool: the lease ends, another worker looks while the request is on its way → one effect',
      (guarantee) =>
        inCase(
          refund({ guarantee, leaseMs: second }),
          async (world) => {
            const slowWorker = await world.start();
            const { release } = block(slowWorker);
            void slowWorker.begin(args, call());
            await world.advance(1_300);
            const other = await world.start();
            const answer = await other.call(args, { ...call(), ...patience });
            expect(answer.state).toBe('succeeded');
            release();
            await world.advance(10 * minute);
            const keys = world.provider.arrivals.map(({ request }) => request.key);
            expect(new Set(keys).size).toBe(1);
            expect(world.provider.tally()).toMatchObject([{ effects: 1 }]);
          },
          {
            store,
            fault: () => slow(2_500),
            behaviour: () => (guarantee === 'idempotent' ? { keyWindowMs: 24 * hour } : {}),
          },
        ),
    );

    it('the deadline passes at 0.5 s, the effect comes at 1.5 s, and it is called again at once → one effect', () =>
      inCase(
        refund({ timeoutMs: 500, inFlightMs: 30 * second, leaseMs: second }),
        async (world) => {
          const process = await world.start();
          const first = await process.call(args, { ...call(), waitMs: 600 });
          expect(first.word).toBe('checking');
          const again = process.begin(args, { ...call('call_2', '2'), ...patience });
          expect(await world.during(again)).toMatchObject({
            ...replayed,
            actionId: first.actionId,
          });
          expect(requests(world)).toBe(1);
        },
        { store, fault: () => ({ workMs: 1_500 }) },
      ));
  });
});

it('F203 lookup cannot ask: it is given all there is, and what it finds is what the next repeat gets', () => {
  const asked: AttemptContext<Args>[] = [];
  const asking = (port: ProviderPort) =>
    refund({
      lookup: (context) => {
        asked.push(context);
        return lookUpAt(port)(context);
      },
    })(port);
  return inCase(
    asking,
    async (world) => {
      const process = await world.start();
      const { ledger } = process;
      const lost = await process.call(args, { ...call(), waitMs: 0 });
      const note = {
        source: 'export',
        claims: 'note',
        proven: false,
        externalId: 'row-7',
      } as const;
      await ledger.report(lost.actionId ?? '', note);
      await process.call(args, { ...call(), ...patience });
      const [request] = world.provider.arrivals;
      const { attempts } = await world.action(lost.actionId);
      expect(asked.at(-1)).toMatchObject({
        actionId: lost.actionId,
        arguments: args,
        downstreamKey: request?.request.key,
        attempts: attempts.map(({ dispatchedAt, deadlineAt }) => ({ dispatchedAt, deadlineAt })),
        evidence: [{ source: 'export', externalId: 'row-7' }],
        origin: call(),
      });
      const [effect] = world.provider.effects();
      expect(await process.call(args, call('call_2', '2'))).toMatchObject({
        ...replayed,
        externalId: effect?.id,
        result: effect?.result,
      });
      expect(effects(world)).toBe(1);
    },
    { fault: ({ attempt }) => (attempt === 1 ? ackLost : undefined) },
  );
});

describe('F205 not durable before the effect', () => {
  it('synced before each first byte; a copy made at the moment of the send knows of the dispatch', () =>
    inFolder(async (path) => {
      const runtime = createSystemRuntime();
      const store = await openSqliteEventStore({ path, runtime });
      const copy = `${path}.copy`;
      let isCopied = false;
      let syncsBefore = -1;
      const provider = createProvider({
        runtime,
        onArrival: () => {
          expect(store.counters().syncs).toBeGreaterThan(syncsBefore);
          if (isCopied) return;
          isCopied = true;
          for (const end of ['', '-wal', '.mark']) copyFileSync(`${path}${end}`, `${copy}${end}`);
        },
      });
      const [tool] = refund({ timeoutMs: 50, inFlightMs: 100, settleMs: 50 })(provider) as [Tool];
      const ledger = await createLedger({ store, runtime, tools: [tool], tenant: 'acme' });
      syncsBefore = store.counters().syncs;
      const done = await ledger.tool(tool).call(args, call());
      expect(done).toMatchObject({ word: 'done' });
      await ledger.close();

      const copied = await openSqliteEventStore({ path: copy, runtime });
      expect(copied.condition()).toEqual({ kind: 'ready' });
      const next = await createLedger({ store: copied, runtime, tools: [tool], tenant: 'acme' });
      const found = await next.tool(tool).call(args, { ...call(), waitMs: 20 * second });
      expect(found).toMatchObject({
        state: 'succeeded',
        repeat: true,
        actionId: done.actionId,
        externalId: done.externalId,
      });
      expect(provider.arrivals).toHaveLength(1);
      await next.close();
    }));
});

describe('F207 outcome meets a locked store', () => {
  it('another connection holds the write lock for 6.5 s → kept, written when it goes, never a driver error', () =>
    inFolder(async (path) => {
      const time = createVirtualRuntime();
      const provider = createProvider({ runtime: time });
      const store = await openSqliteEventStore({ path, runtime: time });
      const locking = (): void => {
        const other = new DatabaseSync(path);
        other.exec('begin immediate');
        time.timers.after(6_500, () => {
          other.exec('rollback');
          other.close();
        });
      };
      const [tool] = refund({
        execute: async (context) => {
          const result = await executeAt(provider)(context);
          locking();
          return result;
        },
      })(provider) as [Tool];
      const ledger = await createLedger({ store, runtime: time, tools: [tool], tenant: 'acme' });
      const answer = ledger.tool(tool).call(args, call());
      const hasty = (async () => {
        await time.advance(second);
        const asked = ledger.tool(tool).call(args, { ...call(), waitMs: second });
        await time.advance(2 * second);
        return asked;
      })();
      expect((await hasty).word).toBe('in-progress');
      await time.advance(10 * second);
      expect(await answer).toMatchObject({ word: 'done' });
      expect(await ledger.tool(tool).call(args, call('call_2', '2'))).toMatchObject(replayed);
      expect(provider.arrivals).toHaveLength(1);
      await ledger.close();
    }));
});

describe('F209 cancelled or timed-out caller', () => {
  overStores((store) => {
    it.each([
      ['aborts', { signal: true }],
      ['waits no longer', { waitMs: second }],
    ])('its caller %s while the request is under way → the next call attaches', (_how, how) =>
      inCase(
        refund(),
        async (world) => {
          const process = await world.start();
          const controller = new AbortController();
          const context = 'waitMs' in how ? how : { signal: controller.signal };
          const first = process.begin(args, { ...call(), ...context });
          await world.advance(second);
          controller.abort(new Error('the client has gone'));
          expect(await world.during(first)).toMatchObject({ word: 'in-progress' });
          const again = await process.call(args, call('call_2', '2'));
          expect(again).toMatchObject(replayed);
          expect(requests(world)).toBe(1);
        },
        { store, fault: () => slow(5 * second) },
      ),
    );
  });

  /** It does not heed the signal, as many libraries do not. */
  const heedless = (port: ProviderPort) =>
    refund({
      guarantee: 'manual',
      timeoutMs: 2 * second,
      execute: (context) => executeAt(port)({ ...context, signal: new AbortController().signal }),
    })(port);

  it('the deadline of the request passes → not known until its late result arrives; the next call attaches', () =>
    inCase(
      heedless,
      async (world) => {
        const process = await world.start();
        const first = await process.call(args, { ...call(), waitMs: 3 * second });
        expect(first).toMatchObject({ word: 'checking' });
        await world.advance(10 * second);
        expect(await process.call(args, call('call_2', '2'))).toMatchObject({
          ...replayed,
          actionId: first.actionId,
        });
        expect(requests(world)).toBe(1);
      },
      { fault: () => slow(5 * second) },
    ));
});

describe('F211 a tool that blocks the process', () => {
  it.each(['lookup', 'idempotent', 'manual'] as const)(
    'of a %s tool: blocked for 3 s with a lease of 1 s; a second process looks at 1.6 s → no send by it in the bound',
    (guarantee) =>
      inCase(
        refund({ guarantee, leaseMs: second }),
        async (world) => {
          const blocked = await world.start();
          const { release } = block(blocked);
          void blocked.begin(args, call());
          await world.advance(1_600);
          const other = await world.start();
          const answer = other.begin(args, { ...call(), ...patience });
          await world.advance(1_400);
          release();
          // A person is asked about a manual tool, until the blocked process reports what it knows.
          const told = guarantee === 'manual' ? 'unknown' : 'succeeded';
          expect((await world.during(answer)).state).toBe(told);
          await world.advance(10 * minute);
          const next = await world.restart();
          expect(await next.call(args, call('call_2', '2'))).toMatchObject(replayed);
          expect(requests(world)).toBe(1);
        },
        { fault: () => slow(2 * second) },
      ),
  );

  it('in one file: the second process is refused, and told who holds it', () =>
    inFolder(async (path) => {
      const runtime = createSystemRuntime();
      const provider = createProvider({ runtime });
      const tools = refund()(provider);
      const holder = await createLedger({ path, tools });
      await expect(openSqliteEventStore({ path, runtime })).rejects.toMatchObject({
        code: 'store.held',
        message: expect.stringContaining(`process ${globalThis.process.pid}`),
      });
      await holder.close();
    }));
});

describe('F217 two tools of one name; a misspelt identity field', () => {
  const provider = createProvider({ runtime: createVirtualRuntime() });

  it('two tools of one name → refused at registration', async () => {
    const tools = [...refund()(provider), ...refund({ guarantee: 'manual' })(provider)];
    await expect(createLedger({ tools })).rejects.toThrow(
      /two tools .*refund|refund.*(twice|two)/i,
    );
  });

  it('a misspelt identity field → refused at declaration, with what there is', () => {
    expect(() => refund({ identity: ['order.idd'] })(provider)).toThrow(/order\.idd.*order\.id/);
  });
});

describe('F219 waiters when the first run fails without effect', () => {
  const context = (nth: number, isSame: boolean) =>
    isSame ? call() : call(`call_${nth}`, String(nth));

  it('sixteen callers of one call → all get the settled failure', () =>
    inCase(
      refund(),
      async (world) => {
        const process = await world.start();
        const all = Array.from({ length: 16 }, (_, nth) => process.begin(args, context(nth, true)));
        const answers = await world.during(Promise.all(all), 5 * second);
        expect(answers.map(({ state }) => state)).toEqual(Array(16).fill('failed'));
        expect(requests(world)).toBe(1);
      },
      { fault: () => ({ ...declined('no'), workMs: second }) },
    ));

  it('sixteen calls, refused while they wait → all told so; sixteen more open one next epoch together', () =>
    inCase(
      refund(),
      async (world) => {
        const process = await world.start();
        const round = (start: number) =>
          world.during(
            Promise.all(
              Array.from({ length: 16 }, (_, nth) =>
                process.begin(args, context(start + nth, false)),
              ),
            ),
            5 * second,
          );
        const refused = await round(0);
        expect(refused.map(({ word }) => word)).toEqual(Array(16).fill('failed-without-effect'));
        expect(requests(world)).toBe(1);
        const done = await round(16);
        expect(new Set(done.map(({ actionId }) => actionId)).size).toBe(1);
        expect(done.map(({ state }) => state)).toEqual(Array(16).fill('succeeded'));
        expect(requests(world)).toBe(2);
        expect(effects(world)).toBe(1);
      },
      {
        fault: ((): (() => object) => {
          let nth = 0;
          return () => {
            nth += 1;
            return nth === 1 ? { ...declined('no'), workMs: second } : slow(second);
          };
        })(),
      },
    ));
});

/** A file of the test's own. */
async function inFolder(test: (path: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'field-case-'));
  try {
    await test(join(folder, 'ledger.db'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
