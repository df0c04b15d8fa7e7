// The webhooks of a provider over HTTP: by the key that it was sent, or by its own id of the effect; early,
// late and twice, and with the gateway's process replaced between.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createMemoryEventStore, type EventStore } from '@action-ledger/event-store';
import { openSqliteEventStore } from '@action-ledger/event-store-sqlite';
import { createSystemRuntime } from '@action-ledger/runtime';
import { inWorld, payment, type Said, type World } from './world.ts';

const stores: Readonly<Record<string, (path: string) => Promise<EventStore>>> = {
  memory: async () => createMemoryEventStore(),
  sqlite: (path) => openSqliteEventStore({ path, runtime: createSystemRuntime() }),
};

const webhook = ({ ask }: World, named: object): Promise<Said> =>
  ask({
    url: '/v1/evidence',
    as: 'acme:worker:bank',
    body: { claims: 'success', proven: true, source: 'webhook', ...named },
  });

async function actionOf({ ask }: World, id: string | undefined): Promise<Said['json']> {
  return (await ask({ url: `/v1/actions/${id ?? ''}`, as: 'acme:auditor' })).json;
}

const waiting = async ({ ask }: World): Promise<readonly object[]> =>
  ((await ask({ url: '/v1/evidence', as: 'acme:operator' })).json as { reports: object[] }).reports;

describe.each(Object.entries(stores))('F094 over HTTP, over %s', (_name, open) => {
  async function withStore(test: (store: EventStore) => Promise<void>): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'evidence-'));
    const store = await open(join(folder, 'ledger.db'));
    try {
      await test(store);
    } finally {
      await store.close();
      rmSync(folder, { recursive: true });
    }
  }

  it('an echo by the id of the provider waits, over a restart, for the reply that brings the id', async () => {
    await withStore(async (store) => {
      const echo = { tool: 'pay', externalId: 'tx-1', id: 'evt-1', data: { paid: true } };
      await inWorld({ store }, async (world) => {
        const first = await webhook(world, echo);
        expect([first.status, first.json['kept']]).toEqual([202, true]);
        const again = await webhook(world, { ...echo, data: { delivery: 2 } });
        expect(again.json).toEqual(first.json);
        expect(await waiting(world)).toHaveLength(1);
      });
      await inWorld({ store }, async (world) => {
        expect(await waiting(world)).toMatchObject([{ ...echo, source: 'bank: webhook' }]);
        const paid = await world.ask({ url: '/v1/actions', body: payment('A-1') });
        expect(paid.status).toBe(201);
        await world.time.advance(100);
        expect(await waiting(world)).toEqual([]);
        const late = await webhook(world, echo);
        expect(late.json).toMatchObject({ kept: true, action: { actionId: paid.json.actionId } });
        const action = await actionOf(world, paid.json.actionId);
        expect(action).toMatchObject({ state: 'succeeded', duplicates: [], incidents: [] });
        expect(action['evidence']).toMatchObject([{ id: 'evt-1', source: 'bank: webhook' }]);
        expect(world.effects()).toBe(1);
      });
    });
  });

  it('by the key that was sent it settles the doubt, and a second effect is an incident', async () => {
    await withStore(async (store) => {
      const doubtful = await inDoubtAt(store);
      await inWorld({ store }, async (world) => {
        const { downstreamKey } = await actionOf(world, doubtful);
        const settled = await webhook(world, { downstreamKey, externalId: 'tx-7' });
        expect(settled.json).toMatchObject({
          action: { actionId: doubtful, state: 'succeeded', externalId: 'tx-7' },
        });
        await webhook(world, { reference: downstreamKey, externalId: 'tx-7' });
        await webhook(world, { tool: 'pay', reference: 'tx-7', externalId: 'tx-7' });
        const once = await actionOf(world, doubtful);
        expect([once['evidence'], once['incidents']]).toMatchObject([[{ externalId: 'tx-7' }], []]);
        await webhook(world, { downstreamKey, externalId: 'tx-8' });
        expect(await actionOf(world, doubtful)).toMatchObject({
          externalId: 'tx-7',
          duplicates: [{ externalIds: ['tx-7', 'tx-8'] }],
          incidents: [{ owner: 'operator' }],
        });
        expect(world.effects()).toBe(0);
      });
    });
  });

  async function inDoubtAt(store: EventStore): Promise<string> {
    let id = '';
    await inWorld({ store }, async (world) => {
      world.nextSends('doubt');
      const said = await world.ask({ url: '/v1/actions', body: payment('A-2') });
      id = said.json.actionId ?? '';
    });
    return id;
  }
});

describe('reports beyond the bounds', () => {
  it('are answered so that a provider sends them again', async () => {
    await inWorld({}, async (world) => {
      const large = await webhook(world, { downstreamKey: 'k', data: 'x'.repeat(70_000) });
      expect([large.status, large.json.code]).toEqual([413, 'evidence.too-large']);
      for (let n = 0; n < 1_000; n += 1) await webhook(world, { downstreamKey: `k-${n}` });
      const more = await webhook(world, { downstreamKey: 'k' });
      expect([more.status, more.json.code]).toEqual([429, 'evidence.too-many']);
      expect(more.headers['retry-after']).toBe('600');
    });
  });
});
