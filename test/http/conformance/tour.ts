// What chance seldom brings about, asked for one by one. Each answer is held against the document, and its status
// is the one that is meant.
import { type Ask, inWorld, type Said, type World, type WorldOptions } from '../world.ts';
import { type Met } from './met.ts';
import { type Operation, operations } from './operations.ts';
import { all, ann, type Hands, handsOf, moreTools, prepare, undo } from './states.ts';

export async function askTour(met: Met, limits: WorldOptions['limits']): Promise<void> {
  for (const tour of [unfit, keys, actions, people, incidents, epochs, workflows, pauses, callers])
    await inWorld({ limits: { ...limits }, tools: moreTools }, async (world) => {
      await prepare(world);
      const ask = async (request: Ask): Promise<Said> => {
        const said = await world.ask(request);
        met.hold(operationOf(request), said, request);
        return said;
      };
      await tour({ ...handsOf(world, ask), world });
    });
}

type Guide = Hands & { readonly world: World };

function operationOf({ url, body, method = body === undefined ? 'GET' : 'POST' }: Ask): Operation {
  const [path = ''] = url.split('?');
  const found = operations.find(
    (each) =>
      each.method === method &&
      new RegExp(`^${each.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  if (found === undefined) throw new Error(`no operation for ${method} ${url}`);
  return found;
}

/** @throws where it is another one than was meant */
async function meant(status: number, asked: Promise<Said>): Promise<Said> {
  const said = await asked;
  if (said.status !== status) throw new Error(`${said.status}, not ${status}: ${said.text}`);
  return said;
}

async function unfit({ ask }: Guide): Promise<void> {
  for (const { body, path } of operations) {
    if (body === undefined) continue;
    const url = path.replaceAll(/[{}]/g, '');
    const as = `${all}+owner`;
    await meant(413, ask({ url, as, body: `{"tool":"${'x'.repeat(9_000)}"}` }));
    await meant(415, ask({ url, as, body: '{}', headers: { 'content-type': 'text/plain' } }));
    await meant(400, ask({ url, as, body: '{"a":1,"a":2}' }));
  }
}

async function keys({ ask }: Guide): Promise<void> {
  const body = { name: 'bot', roles: ['proposer'] };
  const { json } = await meant(201, ask({ url: '/v1/keys', body, as: 'acme:owner' }));
  const { id } = json['key'] as { readonly id: string };
  await meant(200, ask({ url: `/v1/keys/${id}/revoke`, body: { reason: 'x' } }));
  await meant(404, ask({ url: '/v1/keys/none/revoke', body: { reason: 'x' } }));
}

async function actions({ ask, propose, world }: Guide): Promise<void> {
  const args = { invoice: 'once', cents: 5 };
  const { json } = await meant(201, propose('pay', args));
  await meant(200, propose('pay', args, { call: 'again' }));
  await meant(422, propose('pay', { ...args, cents: 6 }));
  await meant(403, propose('capped', { invoice: 'once', cents: 5_000 }));
  world.nextSends('doubt');
  await meant(202, propose('pay', { invoice: 'doubt', cents: 5 }));
  const unknown = await meant(202, propose('pay', { invoice: 'd', cents: 500 }));
  const check = (id = '', revisionSeen = -1): Promise<Said> =>
    ask({ url: `/v1/actions/${id}/check`, body: { revisionSeen } });
  await meant(412, check(unknown.json.actionId));
  await meant(409, check(unknown.json.actionId, unknown.json.revision));
  const { actionId: looked = '' } = (await meant(202, propose('looked', { invoice: 'd' }))).json;
  await world.time.settle();
  const seen = await meant(200, ask({ url: `/v1/actions/${looked}` }));
  await meant(200, check(looked, seen.json.revision));
  await meant(409, check(json.actionId, json.revision));
  const url = `/v1/actions/${json.actionId ?? ''}`;
  const again = { reason: 'again', revisionSeen: json.revision };
  const hung = await meant(201, propose('pay', { invoice: 'hung', cents: 5 }));
  world.nextSends('hang');
  await meant(
    202,
    ask({
      url: `/v1/actions/${hung.json.actionId ?? ''}/repeat`,
      body: { ...again, revisionSeen: hung.json.revision },
    }),
  );
  await meant(201, ask({ url: `${url}/repeat`, body: again }));
  await meant(200, ask({ url: `${url}/repeat`, body: again }));
  const other = { ...again, arguments: { ...args, cents: 7 } };
  await meant(422, ask({ url: `${url}/repeat`, body: other }));
}

async function people({ ask, propose }: Guide): Promise<void> {
  const waiting = await meant(202, propose('sometimes', { invoice: 'p', cents: 500 }));
  const url = `/v1/actions/${waiting.json.actionId ?? ''}`;
  const edit = (cents: number, revisionSeen: number): Promise<Said> =>
    ask({
      url: `${url}/edit`,
      body: { arguments: { invoice: 'p', cents }, reason: 'x', revisionSeen },
    });
  await meant(412, edit(50, 77));
  await meant(201, edit(50, 1));
  await meant(200, edit(50, 2));
  const over = await meant(202, propose('sometimes', { invoice: 'q', cents: 500 }));
  const other = (args: object): Promise<Said> =>
    ask({
      url: `/v1/actions/${over.json.actionId ?? ''}/edit`,
      body: { arguments: args, reason: 'x', revisionSeen: 1 },
    });
  await meant(409, other({ invoice: 'g', cents: 600 }));
  await meant(202, other({ invoice: 'q', cents: 600 }));
  const cancel = (said: Said): Promise<Said> =>
    ask({
      url: `/v1/actions/${said.json.actionId ?? ''}/cancel`,
      body: { reason: 'x', revisionSeen: said.json.revision },
    });
  await meant(200, cancel(await propose('sometimes', { invoice: 'r', cents: 500 })));
  await meant(409, cancel(await propose('pay', { invoice: 'r', cents: 5 })));
  const voted = await meant(202, propose('approved', { invoice: 'p', cents: 5 }));
  const votes = `/v1/actions/${voted.json.actionId ?? ''}/votes`;
  const { json } = await meant(200, ask({ url: votes.replace('/votes', '') }));
  const vote = (as: string, said: string, more: object = {}): Promise<Said> =>
    ask({ url: votes, as, body: { vote: said, argumentsHash: json.argumentsHash, ...more } });
  await meant(403, vote(all, 'approve'));
  await meant(200, vote(ann, 'approve'));
  await meant(409, vote(ann, 'reject'));
  await meant(412, vote('acme:approver:bob', 'approve', { revisionSeen: 77 }));
}

/** A wrong `absent`, and the success that comes late. */
async function incidents({ ask, propose, world }: Guide): Promise<void> {
  world.nextSends('doubt');
  const { json } = await propose('pay', { invoice: 'late', cents: 5 });
  const url = `/v1/actions/${json.actionId ?? ''}`;
  const settle = { verdict: 'absent', reason: 'x', forced: true, revisionSeen: json.revision };
  await meant(200, ask({ url: `${url}/settle`, body: settle }));
  const body = { action: json.actionId, claims: 'success', proven: true, externalId: 'tx-7' };
  const late = await meant(200, ask({ url: '/v1/evidence', body }));
  const { incidents: open, revision } = late.json['action'] as {
    readonly incidents: readonly { readonly incident: string }[];
    readonly revision: number;
  };
  const close = `${url}/incidents/${open[0]?.incident ?? ''}/close`;
  await meant(412, ask({ url: close, body: { reason: 'x', revisionSeen: 0 } }));
  await meant(200, ask({ url: close, body: { reason: 'x', revisionSeen: revision } }));
  const wrong = { ...body, downstreamKey: 'another' };
  await meant(409, ask({ url: '/v1/evidence', body: wrong }));
}

const epochsMax = 10;

async function epochs({ propose, world }: Guide): Promise<void> {
  for (let at = 0; at < epochsMax; at += 1) {
    world.nextSends('refused');
    await propose('pay', { invoice: 'never', cents: 5 }, { call: `c-${at}` });
  }
  await meant(409, propose('pay', { invoice: 'never', cents: 5 }, { call: 'one more' }));
}

async function workflows({ ask, step, world }: Guide): Promise<void> {
  const start = (body: object): Promise<Said> => ask({ url: '/v1/workflows', body });
  await meant(201, start({ id: 'tour', input: 1 }));
  await meant(200, start({ id: 'tour', input: 1 }));
  await meant(422, start({ id: 'tour', input: 2 }));
  const hotel = { step: 'hotel', tool: 'book', arguments: { what: 'h' }, compensate: undo };
  await meant(201, step('tour', hotel));
  await meant(200, step('tour', hotel));
  await meant(422, step('tour', { ...hotel, arguments: { what: 'other' } }));
  const bill = { step: 'bill', tool: 'pay', arguments: { invoice: 't', cents: 5 } };
  const kept = { ...bill, compensate: 'impossible' };
  world.nextSends('doubt');
  await meant(202, step('tour', kept));
  const post = (what: string, body: object): Promise<Said> =>
    ask({ url: `/v1/workflows/tour/${what}`, body });
  await meant(409, post('complete', {}));
  const undone = await meant(202, post('fail', { reason: 'no' }));
  await meant(202, post('complete', {}));
  const { revision } = undone.json;
  await meant(202, post('compensate', { reason: 'no', revisionSeen: revision }));
  await meant(409, step('tour', { ...kept, step: 'more' }));
  await meant(409, ask({ url: '/v1/workflows/w-1/fail', body: { reason: 'no' } }));
  const other = { result: 'another' };
  await meant(422, ask({ url: '/v1/workflows/w-1/complete', body: other }));
  const { json } = await meant(200, ask({ url: '/v1/workflows/w-1' }));
  const body = { reason: 'no', revisionSeen: json.revision };
  const w1 = await meant(200, ask({ url: '/v1/workflows/w-1/compensate', body }));
  if (w1.json.word !== 'done') throw new Error(`it was undone, and is called ${w1.text}`);
}

const pausesMax = 1_000;

async function pauses({ ask, world }: Guide): Promise<void> {
  const pause = (tool: string): Promise<Said> =>
    ask({ url: '/v1/pauses', body: { tool, reason: 'x' } });
  const { json } = await meant(200, pause('balance'));
  const { revision } = json['pause'] as { readonly revision: number };
  const resume = (revisionSeen: number): Promise<Said> =>
    ask({ url: '/v1/pauses/resume', body: { tool: 'balance', reason: 'x', revisionSeen } });
  await meant(412, resume(revision + 1));
  await meant(200, resume(revision));
  for (let at = 0; at < pausesMax; at += 1)
    await world.ledger.pause({ tenant: 'acme', tool: `t-${at}`, by: 'ann', reason: 'x' });
  await meant(409, pause('one more'));
}

async function callers({ ask, world }: Guide): Promise<void> {
  const input = { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] };
  const fax = { name: 'fax', input, guarantee: 'lookup', lookup: true };
  const declare = (tool: object): Promise<Said> =>
    ask({ url: '/v1/tools', body: { tools: [tool] } });
  await meant(200, declare(fax));
  await meant(409, declare({ ...fax, name: 'pay' }));
  const propose = async (to: string): Promise<string> => {
    const body = { tool: 'fax', arguments: { to }, run: 'first', execute: 'caller', worker: to };
    const { json } = await meant(202, ask({ url: '/v1/actions', body }));
    return `/v1/actions/${json.actionId ?? ''}`;
  };
  const url = await propose('ann');
  const held = { worker: 'ann', claim: 1 };
  const own = { url: `${url}/claim`, body: { worker: 'ann' } };
  await meant(200, ask(own));
  const extend = { url: `${url}/claim/extend`, body: held };
  await meant(200, ask(extend));
  await meant(409, ask({ ...extend, body: { ...held, claim: 7 } }));
  const outcome = { kind: 'succeeded', result: 1 };
  const report = { url: `${url}/outcome`, body: { ...held, attempt: 1, outcome } };
  await meant(409, ask({ ...report, body: { ...report.body, attempt: 9 } }));
  await meant(200, ask(report));
  const lost = await propose('bob');
  await world.time.advance(60_000);
  const work = await meant(200, ask({ url: '/v1/work', body: { tools: ['fax'] } }));
  const [lookup] = work.json['work'] as readonly { readonly revision: number }[];
  const verdict = (revision = -1): Promise<Said> =>
    ask({ url: `${lost}/verdict`, body: { revision, outcome: { verdict: 'found' } } });
  await meant(412, verdict(1));
  await meant(200, verdict(lookup?.revision));
}
