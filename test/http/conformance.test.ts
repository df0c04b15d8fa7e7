// Thousands of generated requests, sound and unsound, by everybody, while tools fail, everything is
// paused or the store is away: every answer stands in the OpenAPI document, and none outside it.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createMemoryEventStore, StoreFault } from '@action-ledger/event-store';
import { roles } from '@action-ledger/access';
import { permissions, routes } from '@action-ledger/gateway';
import { createFaultyEventStore } from '@action-ledger/testkit';
import { document, misfitOf } from './answers-fit.ts';
import { type Ask, openWorld, type World } from './world.ts';

type Route = (typeof routes)[number];

interface Try {
  readonly route: Route;
  readonly as: string | null;
  /** Which of the ids that are known; beyond them, none. */
  readonly id: number;
  readonly body: unknown;
  readonly text: string | undefined;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the revision: named as it is, or otherwise. */
  readonly seen: 'right' | 'wrong' | 'none' | 'header';
  readonly first:
    'nothing' | 'doubt' | 'refused' | 'hang' | 'pause' | 'resume' | 'away' | 'back' | 'later';
}

const asked = routes.filter(({ name }) => name !== 'followEvents');

const who = fc.oneof(
  { weight: 6, arbitrary: fc.constant(`acme:${roles.join('+')}`) },
  { weight: 2, arbitrary: fc.constant(`acme:approver+operator:ann`) },
  { weight: 2, arbitrary: fc.constant(`umbrella:${roles.join('+')}`) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom(...roles)).map(([role]) => `acme:${role}`),
  },
  { weight: 1, arbitrary: fc.constantFrom(null, '', 'nobody', 'acme:') },
);

const text = fc.oneof(
  fc.constantFrom('a', 'b', 'run-1', '', ' ', 'x'.repeat(5_000), 'naïve', '\u0000'),
  fc.string({ maxLength: 20 }),
);
const args = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      invoice: fc.constantFrom('1', '2', '3', '4'),
      cents: fc.constantFrom(1, 2, 500, 5_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ account: fc.constantFrom('mine', 'gone') }) },
  { weight: 1, arbitrary: fc.record({ invoice: fc.constant('s'), pin: fc.constant('1234') }) },
  { weight: 1, arbitrary: fc.dictionary(text, fc.jsonValue(), { maxKeys: 3 }) },
);
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 3 });

const proposal = fc.record({
  tool: fc.constantFrom('pay', 'pay', 'approved', 'approved', 'capped', 'balance', 'secret', 'no'),
  arguments: args,
  run: fc.constantFrom('run-1', 'run-2'),
  call: maybe(fc.constantFrom('c-1', 'c-2', 'c-3')),
  key: maybe(fc.constantFrom('k-1', 'k-2', '', 'k'.repeat(300))),
});
const person = fc.record({ reason: fc.constantFrom('because', 'because', '') });

const bodies: Readonly<Record<string, fc.Arbitrary<object>>> = {
  propose: proposal,
  explain: proposal,
  vote: fc.record({
    vote: fc.constantFrom('approve', 'approve', 'reject', 'perhaps'),
    argumentsHash: fc.constantFrom('right', 'right', 'right', 'wrong'),
    reason: maybe(text),
  }),
  cancel: person,
  check: fc.record({}),
  closeIncident: person,
  edit: fc.record({ reason: fc.constant('typo'), arguments: args }),
  repeat: fc.record({
    reason: fc.constant('again'),
    arguments: maybe(args),
    confirmedDouble: maybe(fc.boolean()),
  }),
  settle: fc.record({
    reason: fc.constant('seen'),
    verdict: fc.constantFrom('found', 'absent', 'lost'),
    forced: maybe(fc.boolean()),
    externalId: maybe(fc.constantFrom('tx-1', 'tx-2')),
    result: maybe(fc.jsonValue()),
  }),
  pause: fc.record({
    reason: fc.constantFrom('down', ''),
    tool: maybe(fc.constantFrom('balance', 'pay')),
    tenant: maybe(fc.constantFrom('acme', 'umbrella')),
    everyTenant: maybe(fc.boolean()),
  }),
  resume: fc.record({
    reason: fc.constant('up'),
    tool: maybe(fc.constantFrom('balance', 'pay')),
    revisionSeen: fc.nat({ max: 8 }),
  }),
  createKey: fc.record({ name: text, roles: fc.subarray(['proposer', 'owner']) }),
  revokeKey: person,
  startWorkflow: fc.record({
    id: maybe(fc.constantFrom('w-1', 'w-2')),
    run: maybe(fc.constant('run-1')),
    input: maybe(fc.constantFrom(1, 2)),
  }),
  takeStep: fc.record({
    step: fc.constantFrom('s-1', 's-2', 's-3'),
    tool: fc.constantFrom('pay', 'pay', 'approved', 'balance', 'no'),
    arguments: args,
    compensate: maybe(fc.constantFrom('not needed', 'impossible', { tool: 'no', arguments: {} })),
    mayFail: maybe(fc.boolean()),
  }),
  completeWorkflow: fc.record({ result: maybe(fc.jsonValue()) }),
  failWorkflow: person,
  compensateWorkflow: fc.record({
    reason: fc.constant('undo it'),
    from: maybe(fc.constantFrom('s-1', 's-9')),
  }),
  report: fc.record({
    action: maybe(fc.constant('right')),
    tool: maybe(fc.constantFrom('pay', 'no')),
    downstreamKey: maybe(fc.constantFrom('x', 'y')),
    externalId: maybe(fc.constantFrom('tx-1', 'tx-9')),
    claims: fc.constantFrom('success', 'refusal', 'note', 'rumour'),
    proven: maybe(fc.boolean()),
    source: maybe(text),
    data: maybe(fc.jsonValue()),
  }),
};

/** What is no strict JSON, or not what was asked for. */
const badTexts = fc.constantFrom(
  '',
  '{',
  '{"tool":"pay","tool":"pay"}',
  '{"__proto__":{}}',
  '{"tool":"\\ud800"}',
  '{"tool":9007199254740993}',
  '[1,2',
  'null',
  '"text"',
  `${'['.repeat(60)}${']'.repeat(60)}`,
  '{"tool": NaN}',
  '\ufeff{}',
  `{"tool":"${'x'.repeat(400_000)}"}`,
);

const queries: Readonly<Record<string, readonly string[]>> = {
  listActions: ['', '?status=unknown', '?limit=1', '?limit=0', '?cursor=x', '?run=run-1', '?no=1'],
  getEvents: ['', '?state=true', '?from=2&limit=1', '?state=maybe'],
  listApprovals: ['', '?limit=1', '?tool=approved', '?cursor=zzz'],
  listUnknowns: ['', '?owner=operator', '?owner=nobody'],
  listSideEntries: ['', '?kind=conflict', '?limit=5'],
};

const tries: fc.Arbitrary<Try> = fc
  .oneof(
    { weight: 2, arbitrary: fc.constantFrom(...asked.filter(({ name }) => name === 'propose')) },
    { weight: 5, arbitrary: fc.constantFrom(...asked) },
  )
  .chain((route) =>
    fc.record({
      route: fc.constant(route),
      as: who,
      id: fc.nat({ max: 14 }),
      body: bodies[route.name] ?? fc.constant(undefined),
      text:
        route.method === 'POST'
          ? fc.oneof(
              { weight: 12, arbitrary: fc.constant(undefined) },
              { weight: 1, arbitrary: badTexts },
            )
          : fc.constant(undefined),
      query: fc.constantFrom(...(queries[route.name] ?? ['', '', '', '', '', '', '?x=1'])),
      headers: fc.oneof(
        { weight: 8, arbitrary: fc.constant({ prefer: 'wait=1' }) },
        {
          weight: 1,
          arbitrary: fc.constantFrom<Record<string, string>>(
            { 'content-type': 'text/plain' },
            { 'content-type': 'application/json; charset=latin1' },
            { 'content-encoding': 'gzip' },
            { 'idempotency-key': 'k-1' },
            { 'idempotency-key': 'k\u00e9' },
            { 'if-match': '"oops"' },
          ),
        },
      ),
      seen: fc.constantFrom('right', 'right', 'right', 'header', 'wrong', 'none'),
      first: fc.oneof(
        { weight: 20, arbitrary: fc.constant('nothing' as const) },
        {
          weight: 6,
          arbitrary: fc.constantFrom(
            'doubt',
            'doubt',
            'refused',
            'hang',
            'pause',
            'resume',
            'resume',
            'away',
            'back',
            'back',
            'later',
          ),
        },
      ),
    }),
  );

interface Known {
  readonly id: string;
  readonly hash: string;
}

/** One of each kind of state, so that commands find what they are for. */
async function prepared(world: World): Promise<readonly Known[]> {
  const { ask, nextSends } = world;
  const propose = async (tool: string, invoice: string, as?: string): Promise<void> => {
    await ask({
      url: '/v1/actions',
      body: { tool, arguments: { invoice, cents: 500 }, run: 'first' },
      headers: { prefer: 'wait=1' },
      ...(as === undefined ? {} : { as }),
    });
  };
  await propose('pay', 'a');
  await propose('approved', 'b');
  await propose('approved', 'c');
  nextSends('doubt');
  await propose('pay', 'd');
  nextSends('refused');
  await propose('pay', 'e');
  await propose('approved', 'f', `umbrella:${roles.join('+')}`);
  const known: Known[] = [];
  for (const { action } of world.ledger.list({ limit: 20 })) {
    const loaded = await world.ledger.load(action);
    if (loaded.kind === 'action') known.push({ id: action, hash: loaded.action.argumentsHash });
  }
  return known;
}

describe('every answer', () => {
  it('stands in the OpenAPI document', async () => {
    const statuses = new Map<number, number>();
    const codes = new Set<string>();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(tries, { minLength: 60, maxLength: 90 }), async (requests) => {
        let isAway = false;
        const fault = (): void => {
          if (isAway) throw new StoreFault('store.unavailable', 'safe', 'away (injected)');
        };
        const store = createFaultyEventStore(createMemoryEventStore(), {
          beforeAppend: fault,
          beforeRead: fault,
        });
        const world = await openWorld({ store });
        const known = await prepared(world);
        for (const each of requests) {
          act(world, each.first);
          if (each.first === 'away') isAway = true;
          if (each.first === 'back') isAway = false;
          if (each.first === 'later') await world.time.advance(3_600_000);
          const { route } = each;
          const request = await requestOf(world, known, each);
          const said = await world.ask(request);
          count += 1;
          statuses.set(said.status, (statuses.get(said.status) ?? 0) + 1);
          if (said.json.code !== undefined) codes.add(said.json.code);
          const misfit = misfitOf(route.method, route.path, said);
          if (misfit !== undefined)
            throw new Error(`${route.name} ${JSON.stringify(request)}: ${misfit}`);
        }
        isAway = false;
        await world.close();
      }),
      { numRuns: 30, endOnFailure: true },
    );
    expect(count).toBeGreaterThan(1_800);
    const met = [...statuses.keys()].sort((a, b) => a - b);
    expect(met).toEqual([200, 201, 202, 400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 503]);
    expect(codes.size).toBeGreaterThan(25);
  }, 300_000);

  it('has its operation in the document', () => {
    expect(Object.keys(document.paths ?? {}).length).toBeGreaterThan(15);
    expect(routes.every(({ name }) => name in permissions)).toBe(true);
  });
});

function act(world: World, first: Try['first']): void {
  if (first === 'doubt' || first === 'refused' || first === 'hang') world.nextSends(first);
  if (first === 'pause' || first === 'resume') world.pause(first === 'pause');
}

async function requestOf(world: World, known: readonly Known[], each: Try): Promise<Ask> {
  const { route, as, headers, seen } = each;
  const at = known[each.id];
  const id = at?.id ?? (each.id % 2 === 0 ? `${'A'.repeat(43)}.0` : 'no id');
  const isOfWorkflow = route.path.startsWith('/v1/workflows/');
  const path = route.path
    .replace('{id}', isOfWorkflow ? `w-${each.id % 3}` : id)
    .replace('{incident}', 'late-success-4')
    .replace('{key}', 'none');
  const url = `${path}${each.query}`;
  if (route.method === 'GET') return { method: 'GET', url: encodeURI(url), as, headers };
  const revision = isOfWorkflow
    ? await workflowRevision(world, `w-${each.id % 3}`)
    : await revisionOf(world, id);
  const body = bodyOf(
    route,
    each,
    at,
    seen === 'right' ? revision : seen === 'wrong' ? 77 : undefined,
  );
  return {
    method: 'POST',
    url: encodeURI(url),
    as,
    body,
    headers: { ...headers, ...(seen === 'header' ? { 'if-match': `"${revision ?? 0}"` } : {}) },
  };
}

const withRevision = [
  'cancel',
  'check',
  'closeIncident',
  'compensateWorkflow',
  'edit',
  'repeat',
  'settle',
];

function bodyOf(
  { name }: Route,
  { body, text: bad }: Try,
  at: Known | undefined,
  revision: number | undefined,
): object | string {
  if (bad !== undefined) return bad;
  const said = { ...(body as Readonly<Record<string, unknown>>) };
  if (said['argumentsHash'] === 'right') said['argumentsHash'] = at?.hash ?? 'none';
  if (said['action'] === 'right') said['action'] = at?.id ?? 'none';
  if (withRevision.includes(name) && revision !== undefined) said['revisionSeen'] = revision;
  return said;
}

async function revisionOf(world: World, id: string): Promise<number | undefined> {
  if (!id.includes('.')) return undefined;
  const loaded = await world.ledger.load(id).catch(() => undefined);
  return loaded?.kind === 'action' ? loaded.action.revision : undefined;
}

async function workflowRevision({ ledger }: World, id: string): Promise<number | undefined> {
  const shown = await ledger.workflows.show(id, { tenant: 'acme' }).catch(() => undefined);
  return shown === undefined || 'code' in shown ? undefined : shown.revision;
}
