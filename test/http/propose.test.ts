// POST /v1/actions: the statuses of DESIGN.md section 9, and that a repeat runs nothing.
import { describe, expect, it } from '@jest/globals';
import { createMemoryEventStore, StoreFault } from '@action-ledger/event-store';
import { createFaultyEventStore } from '@action-ledger/testkit';
import { type Ask, everyRole, inWorld, payment, type Said, type World } from './world.ts';

const url = '/v1/actions';
const propose = ({ ask }: World, body: object, headers: Ask['headers'] = {}): Promise<Said> =>
  ask({ url, body, headers });

/** Beyond what arguments may take, within what a body may. */
const large = { ...payment('1'), arguments: { invoice: 'x'.repeat(270_000), cents: 1 } };

describe('a proposal', () => {
  it('is 201 with its outcome, and 200 when it is said again', async () => {
    await inWorld({}, async (world) => {
      const first = await propose(world, payment('1'));
      expect(first.status).toBe(201);
      expect(first.json).toMatchObject({
        word: 'done',
        state: 'succeeded',
        repeat: false,
        result: { paid: true },
        externalId: 'tx-1',
        messageForModel: 'Done now (result: {"paid":true}).',
      });
      expect(first.headers['location']).toBe(`/v1/actions/${String(first.json.actionId)}`);
      expect(first.headers['idempotent-replayed']).toBeUndefined();
      const again = await propose(world, payment('1'));
      expect(again.status).toBe(200);
      expect(again.headers['idempotent-replayed']).toBe('true');
      expect(again.json).toMatchObject({ word: 'already-done', repeat: true });
      expect(again.json.messageForModel).toContain('Already done earlier');
      expect(world.effects()).toBe(1);
    });
  });

  it('is 201 when it failed without effect, and 200 the second time: `state` tells', async () => {
    await inWorld({}, async (world) => {
      world.nextSends('refused');
      const first = await propose(world, payment('1'));
      expect([first.status, first.json.state, first.json.code]).toEqual([
        201,
        'failed',
        'bank.no-money',
      ]);
      const again = await propose(world, payment('1'));
      expect([again.status, again.json.state]).toEqual([200, 'failed']);
      expect(world.effects()).toBe(0);
    });
  });

  it('is 202 while it is in progress, with an honest time to ask again', async () => {
    await inWorld({}, async (world) => {
      world.nextSends('hang');
      const said = await propose(world, payment('1'), { prefer: 'respond-async, wait=1' });
      expect(said.status).toBe(202);
      expect(said.json).toMatchObject({ word: 'in-progress', state: 'dispatched' });
      expect(said.headers).toMatchObject({
        'retry-after': '2',
        'preference-applied': 'wait=1',
        location: `/v1/actions/${String(said.json.actionId)}`,
      });
    });
  });

  it('is 202 while its outcome is not known', async () => {
    await inWorld({}, async (world) => {
      world.nextSends('doubt');
      const said = await propose(world, payment('1'), { prefer: 'wait=1' });
      expect(said.json).toMatchObject({ word: 'checking', state: 'unknown', owner: 'operator' });
      expect([said.status, said.headers['retry-after']]).toEqual([202, '300']);
    });
  });

  it('is 202 while it waits for approval, 403 when it was rejected', async () => {
    await inWorld({}, async (world) => {
      const body = { ...payment('1'), tool: 'approved' };
      const waiting = await propose(world, body);
      expect([waiting.status, waiting.json.word]).toEqual([202, 'waiting-for-approval']);
      const { json } = await world.ask({ url: `${url}/${waiting.json.actionId ?? ''}` });
      await world.ask({
        url: `${url}/${waiting.json.actionId ?? ''}/votes`,
        as: 'acme:approver:ann',
        body: { vote: 'reject', argumentsHash: json.argumentsHash, reason: 'no' },
      });
      const rejected = await propose(world, body);
      expect(rejected.json).toMatchObject({
        status: 403,
        code: 'action.rejected',
        answer: { state: 'rejected', word: 'refused' },
      });
      expect(rejected.json.messageForModel).toContain('Refused, do not retry');
      expect(rejected.headers['content-type']).toBe('application/problem+json');
    });
  });

  it('is 403 when the policy denies it', async () => {
    await inWorld({}, async (world) => {
      const body = { tool: 'capped', arguments: { invoice: '1', cents: 5_000 }, run: 'r' };
      const said = await propose(world, body);
      expect(said.json).toMatchObject({ status: 403, code: 'action.denied', detail: 'too much' });
    });
  });

  it('is 422 with what differs when its key has other arguments', async () => {
    await inWorld({}, async (world) => {
      const body = { ...payment('1'), key: 'k-1' };
      await propose(world, body);
      const said = await propose(world, { ...body, arguments: { invoice: '1', cents: 501 } });
      expect(said.json).toMatchObject({
        type: 'urn:action-ledger:problem:key.other-arguments',
        status: 422,
        answer: { word: 'other-arguments', differs: [{ path: 'cents' }] },
      });
      expect(said.json.messageForModel).toContain('This key was used for different arguments');
      expect(world.effects()).toBe(1);
    });
  });

  it('is 200 and recorded nowhere for a tool that only reads; 503 where that fails', async () => {
    await inWorld({}, async (world) => {
      const before = await world.store.head();
      const said = await propose(world, { tool: 'balance', arguments: { account: 'mine' } });
      expect([said.status, said.json.state]).toEqual([200, 'passed-through']);
      const failed = await propose(world, { tool: 'balance', arguments: { account: 'gone' } });
      expect(failed.json).toMatchObject({ status: 503, code: 'read.failed' });
      expect(await world.store.head()).toBe(before);
    });
  });

  it.each<[string, object, number, string]>([
    ['no such tool', { tool: 'no', arguments: {} }, 404, 'tool.unknown'],
    [
      'no scope',
      { tool: 'pay', arguments: { invoice: '1', cents: 1 } },
      400,
      'identity.scope-missing',
    ],
    [
      'no identity',
      { ...payment('1'), arguments: { invoice: '', cents: 1 } },
      400,
      'identity.empty',
    ],
    [
      'a wrong type',
      { ...payment('1'), arguments: { invoice: 1, cents: 1 } },
      400,
      'arguments.invalid',
    ],
    ['no arguments', { tool: 'pay' }, 400, 'request.invalid'],
    ['arguments that are a list', { tool: 'pay', arguments: [] }, 400, 'request.invalid'],
    ['a blank key', { ...payment('1'), key: ' ' }, 400, 'key.invalid'],
    ['arguments too large', large, 413, 'json.too-large'],
  ])('is refused, and nothing recorded: %s', async (_what, body, status, code) => {
    await inWorld({}, async (world) => {
      const before = await world.store.head();
      const said = await propose(world, body);
      expect(said.json).toMatchObject({ status, code });
      expect(said.json.messageForModel).toMatch(/^(Failed without effect|Refused), /);
      expect(await world.store.head()).toBe(before);
      expect(world.effects()).toBe(0);
    });
  });

  it('never shows a secret argument', async () => {
    await inWorld({}, async (world) => {
      const body = { tool: 'secret', arguments: { invoice: '1', pin: '98765' }, run: 'r' };
      const { json } = await propose(world, body);
      const at = `${url}/${json.actionId ?? ''}`;
      const told = [
        await world.ask({ url: at }),
        await world.ask({ url: `${at}/events?state=true` }),
      ];
      expect(told.map(({ status }) => status)).toEqual([200, 200]);
      expect(JSON.stringify([json, told, world.log])).not.toContain('98765');
    });
  });
});

describe('the key', () => {
  it('may stand in the header, the body, or the same in both', async () => {
    await inWorld({}, async (world) => {
      const header = { 'idempotency-key': 'k-1' };
      const first = await propose(world, payment('1'), header);
      const second = await propose(world, { ...payment('1'), key: 'k-1' });
      const both = await propose(world, { ...payment('1'), key: 'k-1' }, header);
      expect([first.status, second.status, both.status]).toEqual([201, 200, 200]);
      expect(world.effects()).toBe(1);
    });
  });

  it.each<[string, Record<string, string>, string | undefined, string]>([
    ['header and body differ', { 'idempotency-key': 'k-1' }, 'k-2', 'key.mismatch'],
    ['a header beyond ASCII', { 'idempotency-key': 'k\u00e9' }, undefined, 'key.invalid'],
    ['a header too long', { 'idempotency-key': 'k'.repeat(256) }, undefined, 'key.invalid'],
  ])('is 400: %s', async (_what, headers, key, code) => {
    await inWorld({}, async (world) => {
      const body = { ...payment('1'), ...(key === undefined ? {} : { key }) };
      expect((await propose(world, body, headers)).json).toMatchObject({ status: 400, code });
      expect(world.effects()).toBe(0);
    });
  });
});

describe('when nothing can be recorded', () => {
  it('paused: 429, but repeats are answered', async () => {
    await inWorld({}, async (world) => {
      await propose(world, payment('1'));
      world.pause(true);
      const before = await world.store.head();
      const said = await propose(world, payment('2'));
      expect(said.json).toMatchObject({ status: 429, code: 'ledger.paused' });
      expect(said.headers['retry-after']).toBe('60');
      expect((await propose(world, payment('1'))).status).toBe(200);
      expect(await world.store.head()).toBe(before);
    });
  });

  it('the store is away: 503, and nobody learns of its insides', async () => {
    let isAway = false;
    const fault = (): void => {
      if (isAway) throw new StoreFault('store.unavailable', 'safe', 'EIO at /var/secret-7.db');
    };
    const plan = { beforeAppend: fault, beforeRead: fault };
    const store = createFaultyEventStore(createMemoryEventStore(), plan);
    await inWorld({ store }, async (world) => {
      isAway = true;
      const said = [
        await propose(world, payment('1')),
        await world.ask({ url: `${url}/${'A'.repeat(43)}.0` }),
        await world.ask({ url: '/readyz', as: null }),
      ];
      for (const { json, headers } of said) {
        expect(json).toMatchObject({ status: 503 });
        expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      }
      expect(JSON.stringify(said)).not.toContain('secret-7');
      expect(said[0]?.json.messageForModel).toContain('do not retry');
      isAway = false;
      expect((await world.ask({ url: '/readyz', as: null })).status).toBe(200);
    });
  });

  it('the ledger is recovering: 503, and the reason stays inside', async () => {
    const store = createMemoryEventStore();
    const recovering = {
      ...store,
      condition: () => ({ kind: 'recovering' as const, reason: 'secret-7', mark: 9, head: 1 }),
    };
    await inWorld({ store: recovering }, async (world) => {
      const said = await propose(world, payment('1'));
      expect(said.json).toMatchObject({ status: 503, code: 'ledger.recovering' });
      expect(said.text).not.toContain('secret-7');
      expect((await world.ask({ url: '/readyz', as: null })).json.code).toBe('ledger.recovering');
      expect((await world.ask({ url: '/healthz', as: null })).status).toBe(200);
    });
  });

  it('the plan is uncertain: 202, and the action can be asked for later', async () => {
    let isUncertain = false;
    const store = createFaultyEventStore(createMemoryEventStore(), {
      beforeAppend: () => {
        if (isUncertain) throw new StoreFault('store.unavailable', 'unsafe', 'no answer');
      },
    });
    await inWorld({ store }, async (world) => {
      isUncertain = true;
      const said = await propose(world, payment('1'));
      isUncertain = false;
      expect([said.status, said.json.word, said.json.code]).toEqual([
        202,
        'checking',
        'ledger.store-uncertain',
      ]);
      expect(said.headers['location']).toContain('/v1/actions/');
      expect(Number(said.headers['retry-after'])).toBeGreaterThan(0);
    });
  });

  it('one principal asks too often: 429 until its minute is over, and others are heard', async () => {
    await inWorld({ limits: { requestsPerMinute: 2 } }, async (world) => {
      const said = [];
      for (let time = 0; time < 3; time += 1) said.push(await world.ask({ url: '/v1/tools' }));
      expect(said.map(({ status }) => status)).toEqual([200, 200, 429]);
      expect(said[2]?.json.code).toBe('request.rate');
      expect(Number(said[2]?.headers['retry-after'])).toBeGreaterThan(0);
      expect((await world.ask({ url: '/v1/tools', as: 'umbrella:auditor' })).status).toBe(200);
      expect(everyRole).toContain('acme');
      await world.time.advance(60_000);
      expect((await world.ask({ url: '/v1/tools' })).status).toBe(200);
    });
  });
});

describe('too many requests', () => {
  it('of one tenant: 429 for all of it, and other tenants are heard', async () => {
    await inWorld({ limits: { tenantRequestsPerMinute: 2 } }, async ({ ask }) => {
      const as = (name: string): Promise<Said> =>
        ask({ url: '/v1/tools', as: `acme:auditor:${name}` });
      const said = [await as('ann'), await as('bob'), await as('cy')];
      expect(said.map(({ status }) => status)).toEqual([200, 200, 429]);
      expect((await ask({ url: '/v1/tools', as: 'umbrella:auditor' })).status).toBe(200);
    });
  });

  it('of one principal are not held against the others of its tenant', async () => {
    const limits = { requestsPerMinute: 1, tenantRequestsPerMinute: 2 };
    await inWorld({ limits }, async ({ ask }) => {
      const as = (name: string): Promise<Said> =>
        ask({ url: '/v1/tools', as: `acme:auditor:${name}` });
      const said = [await as('ann'), await as('ann'), await as('ann'), await as('bob')];
      expect(said.map(({ status }) => status)).toEqual([200, 429, 429, 200]);
    });
  });
});

describe('strict JSON at the door', () => {
  it.each<[string, string | Buffer, string]>([
    ['a member twice', '{"tool":"pay","arguments":{"cents":1,"cents":2}}', 'json.duplicate-member'],
    ['__proto__', '{"tool":"pay","arguments":{"__proto__":{}}}', 'json.forbidden-member'],
    ['half a surrogate pair', '{"tool":"\\ud83d"}', 'json.lone-surrogate'],
    [
      'an unsafe integer',
      '{"tool":"pay","arguments":{"cents":9007199254740993}}',
      'json.integer-unsafe',
    ],
    [
      'an unsafe integer in disguise',
      '{"tool":"pay","arguments":{"cents":1e300}}',
      'json.integer-unsafe',
    ],
    ['not a number', '{"cents":NaN}', 'json.number-not-finite'],
    ['truncated', '{"tool":"pay","arguments":{"cents":1', 'json.truncated'],
    ['nothing', '', 'json.truncated'],
    ['too deep', `{"arguments":${'['.repeat(40)}${']'.repeat(40)}}`, 'json.too-deep'],
    ['no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'json.malformed'],
    ['a byte order mark', '\ufeff{"tool":"pay"}', 'json.malformed'],
  ])('refuses with the place: %s', async (_what, body, code) => {
    await inWorld({}, async (world) => {
      const said = await world.ask({ url, body });
      expect(said.json).toMatchObject({ status: 400, code });
      if (typeof body === 'string') expect(said.text).toContain('"pointer"');
    });
  });

  it.each<[Record<string, string>, number]>([
    [{ 'content-type': 'text/plain' }, 415],
    [{ 'content-type': 'application/json; charset=utf-16' }, 415],
    [{ 'content-encoding': 'gzip' }, 415],
    [{ 'content-type': 'application/json; charset=UTF-8' }, 201],
  ])('%j is %i', async (headers, status) => {
    await inWorld({}, async (world) => {
      expect((await propose(world, payment('1'), headers)).status).toBe(status);
    });
  });

  it('refuses members that it does not know, by name', async () => {
    await inWorld({}, async (world) => {
      const said = await propose(world, { ...payment('1'), runn: 'r' });
      expect(said.json.detail).toBe(
        'This member is not known here (body: /runn). Nothing was recorded.',
      );
      const misspelt = await propose(world, { tool: 'pay', argument: {} });
      expect(misspelt.json.detail).toContain('not known here (body: /argument)');
    });
  });
});
