// What can be read: actions and their events, lists in pages, tools, what a call would be, the page of
// the documentation.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ActionRow } from '@action-ledger/application';
import { streamOfAction } from '@action-ledger/domain';
import { createMemoryEventStore } from '@action-ledger/event-store';
import { pageOf, placeOfCursor } from '@action-ledger/gateway';
import { inWorld, payment, type Said } from './world.ts';

const url = '/v1/actions';

describe('an action', () => {
  it('has its revision as ETag, and Retry-After while it is open', async () => {
    await inWorld({}, async ({ ask }) => {
      const { json } = await ask({ url, body: { ...payment('1'), tool: 'approved' } });
      const said = await ask({ url: `${url}/${json.actionId ?? ''}` });
      expect(said.headers).toMatchObject({ etag: '"1"', 'retry-after': '15' });
      expect(said.json).toMatchObject({
        word: 'waiting-for-approval',
        arguments: { invoice: '1', cents: 500 },
        approval: { votesNeeded: 2, argumentsHash: json.argumentsHash ?? expect.any(String) },
        messageForModel: 'Waiting for approval.',
      });
    });
  });

  it('that is damaged is 503 for its own tenant, and not there for others', async () => {
    const store = createMemoryEventStore();
    await inWorld({ store }, async ({ ask }) => {
      const { json } = await ask({ url, body: payment('1') });
      const id = json.actionId ?? '';
      const damaged = {
        ...store,
        readStream: async (stream: string, from?: number) =>
          (await store.readStream(stream, from)).map((event) =>
            stream === streamOfAction(id) && event.revision === 3
              ? { ...event, data: event.data.replace('true', 'false') }
              : event,
          ),
      };
      await inWorld({ store: damaged }, async (world) => {
        const own = await world.ask({ url: `${url}/${id}` });
        expect(own.json).toMatchObject({ status: 503, code: 'stream.broken' });
        const other = await world.ask({ url: `${url}/${id}`, as: 'umbrella:auditor' });
        expect(other.json).toMatchObject({ status: 404, code: 'action.unknown' });
        const long = await world.ask({ url: `${url}/${'a'.repeat(3_000)}` });
        expect(long.json).toMatchObject({ status: 404, code: 'action.unknown' });
        const again = await world.ask({ url, body: payment('1') });
        expect([again.status, again.json.word]).toEqual([202, 'checking']);
        // What is said of it is kept apart, once, and is not asked for again.
        const said = {
          claims: 'success',
          proven: true,
          externalId: 'tx-9',
          data: { id: 9 },
        } as const;
        const report = async (as: string): Promise<Said> =>
          world.ask({ url: '/v1/evidence', as, body: { action: id, ...said } });
        expect((await report('umbrella:worker')).status).toBe(404);
        for (const _time of [1, 2]) expect((await report('acme:worker:bank')).status).toBe(202);
        const kept = await store.readStream(`quarantine-${id}`);
        expect(kept.map(({ type }) => type)).toEqual(['IncidentOpened', 'EvidenceRecorded']);
        expect(kept[1]?.data).toContain('"tx-9"');
        const theirs = { action: id, ...said, tenant: 'umbrella', source: 'bank' } as const;
        expect(await world.ledger.reportAbout(theirs)).toMatchObject({ code: 'action.unknown' });
      });
    });
  });
});

describe('the events of an action', () => {
  it('are its history, with the state after each where asked, in pages', async () => {
    await inWorld({}, async ({ ask }) => {
      const { json } = await ask({ url, body: payment('1') });
      const at = `${url}/${json.actionId ?? ''}/events`;
      const all = (await ask({ url: `${at}?state=true` })).json['events'] as {
        type: string;
        state: { state: string };
      }[];
      expect(all.map(({ type, state }) => `${type}: ${state.state}`)).toEqual([
        'ActionPlanned: ready',
        'ActionClaimed: claimed',
        'ActionDispatched: dispatched',
        'ActionSucceeded: succeeded',
      ]);
      const page = (await ask({ url: `${at}?from=1&limit=2` })).json;
      expect(page).toMatchObject({ events: [{ revision: 1 }, { revision: 2 }], next: 3 });
      expect((await ask({ url: `${at}?from=3` })).json.next).toBeUndefined();
    });
  });
});

describe('a list', () => {
  it('is filtered, and goes on where its page ended', async () => {
    await inWorld({}, async ({ ask, time }) => {
      for (const invoice of ['1', '2', '3', '4', '5']) {
        await ask({ url, body: payment(invoice) });
        await time.advance(Number(invoice) % 2);
      }
      const seen: string[] = [];
      let cursor = '';
      for (let page = 0; page < 5; page += 1) {
        const { json } = await ask({ url: `${url}?limit=2${cursor}` });
        seen.push(...(json['actions'] as ActionRow[]).map(({ action }) => action));
        if (json.next === undefined) break;
        cursor = `&cursor=${json.next}`;
        await ask({ url, body: payment(`later ${page}`) });
      }
      expect(seen).toHaveLength(5);
      expect(new Set(seen).size).toBe(5);
      const none = await ask({ url: `${url}?status=unknown&tool=pay&run=run-1` });
      expect(none.json['actions']).toEqual([]);
      expect((await ask({ url: `${url}?cursor=x` })).json).toMatchObject({
        status: 400,
        code: 'request.cursor',
      });
    });
  });

  it('loses no row and gives none twice, however many were planned at one time', () => {
    const row = fc.record({ plannedAt: fc.nat({ max: 3 }), action: fc.uuid() });
    const rowsOf = fc.uniqueArray(row, { selector: ({ action }) => action, maxLength: 200 });
    fc.assert(
      fc.property(rowsOf, fc.integer({ min: 1, max: 9 }), (given, limit) => {
        const stored = given as unknown as ActionRow[];
        const list: Parameters<typeof pageOf>[0] = ({ plannedUntil = Infinity, limit: most }) =>
          stored
            .filter(({ plannedAt }) => plannedAt <= plannedUntil)
            .sort((a, b) => b.plannedAt - a.plannedAt)
            .slice(0, most);
        const seen: string[] = [];
        let next: string | undefined;
        do {
          const after = next === undefined ? undefined : placeOfCursor(next);
          const page = pageOf(list, { tenant: 't' }, limit, after);
          expect(page.rows.length).toBeLessThanOrEqual(limit);
          seen.push(...page.rows.map(({ action }) => action));
          next = page.next;
        } while (next !== undefined);
        expect(seen.length).toBe(stored.length);
        expect(new Set(seen).size).toBe(stored.length);
      }),
      { numRuns: 200 },
    );
  });

  it('of approvals has what is needed to vote', async () => {
    await inWorld({}, async ({ ask }) => {
      await ask({ url, body: { ...payment('1'), tool: 'approved' } });
      const { json } = await ask({ url: '/v1/approvals?tool=approved' });
      expect(json['approvals']).toMatchObject([
        {
          arguments: { invoice: '1', cents: 500 },
          argumentsHash: expect.any(String),
          approval: { votesNeeded: 2, votes: [] },
        },
      ]);
    });
  });
});

describe('the tools', () => {
  it('are told with their guarantee, promise and schema', async () => {
    await inWorld({}, async ({ ask }) => {
      const { json } = await ask({ url: '/v1/tools' });
      const tools = json['tools'] as { name: string }[];
      expect(tools.map(({ name }) => name)).toContain('pay');
      expect(tools.find(({ name }) => name === 'pay')).toMatchObject({
        guarantee: 'manual',
        promise: 'at most one effect; an unknown outcome waits for a person',
        scope: 'run',
        identity: ['invoice'],
        free: ['note'],
        input: { type: 'object', required: ['invoice', 'cents'], additionalProperties: false },
      });
    });
  });
});

describe('explain', () => {
  it('says what a call would be, and records nothing', async () => {
    await inWorld({}, async ({ ask, store }) => {
      const before = await store.head();
      const first = await ask({ url: '/v1/explain', body: payment('1') });
      expect(first.json).toMatchObject({ meeting: { kind: 'open', epoch: 0 }, epochs: [] });
      expect(await store.head()).toBe(before);
      const { json } = await ask({ url, body: payment('1') });
      const then = await ask({ url: '/v1/explain', body: payment('1') });
      expect(then.json).toMatchObject({
        meeting: { kind: 'answer', as: 'duplicate' },
        epochs: [{ action: json.actionId, status: 'succeeded', sameArguments: true }],
      });
    });
  });
});

describe('the page of the documentation', () => {
  it('loads nothing from elsewhere', async () => {
    await inWorld({}, async ({ ask }) => {
      const page = await ask({ url: '/docs', as: null });
      expect(page.status).toBe(200);
      const loaded = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link);
      expect(loaded.length).toBeGreaterThan(2);
      for (const link of loaded) {
        expect(link).toMatch(/^\/(?!\/)/);
        expect((await ask({ url: link ?? '', as: null })).status).toBe(200);
      }
      expect(String(page.headers['content-security-policy'])).toContain("default-src 'none'");
    });
  });

  it('and the document are given to everybody', async () => {
    await inWorld({}, async ({ ask }) => {
      expect((await ask({ url: '/openapi.json', as: null })).json['openapi']).toBe('3.1.0');
      expect((await ask({ url: '/nowhere', as: null })).json).toMatchObject({
        status: 404,
        code: 'route.unknown',
      });
      expect((await ask({ url: '/v1/%E0%A4%A', as: null })).json.code).toBe('request.malformed');
    });
  });
});
