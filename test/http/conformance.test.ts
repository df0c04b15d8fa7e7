// Thousands of requests, generated from the OpenAPI document and from one seed, to a ledger with something in
// every state, while tools fail, everything is paused or the store is away: every answer stands in the
// document, what it calls sound is not refused as malformed, what it does not is, and every status that it
// declares is met.
import { afterAll, describe, expect, it } from '@jest/globals';
import { createMemoryEventStore, StoreFault } from '@action-ledger/event-store';
import { createFaultyEventStore } from '@action-ledger/testkit';
import { type Draw, drawFrom } from './conformance/draw.ts';
import { type Generated, generated } from './conformance/generated-request.ts';
import { createMet, type Met } from './conformance/met.ts';
import { operations, type Operation } from './conformance/operations.ts';
import { knownIn, moreTools, prepare } from './conformance/states.ts';
import { askFaultyWorlds } from './conformance/faulty-worlds.ts';
import { askTour } from './conformance/tour.ts';
import { askOverSockets } from './conformance/over-sockets.ts';
import { openWorld, type Said, type World } from './world.ts';

const seed = Number(process.env['CONFORMANCE_SEED'] ?? 1);
const requests = Number(process.env['CONFORMANCE_REQUESTS'] ?? 5_000);
const worlds = 10;

const met: Met = createMet();

const limits = {
  waitMs: 1_000,
  waitMsMax: 2_000,
  bodyBytesMax: 8_192,
  // In virtual time: a stream ends before its request is given up.
  streamMsMax: 1_000,
  heartbeatMs: 500,
};

describe(`every answer, by CONFORMANCE_SEED=${seed}`, () => {
  it('stands in the OpenAPI document, to generated requests', async () => {
    process.stdout.write(`conformance: CONFORMANCE_SEED=${seed}, ${requests} requests\n`);
    const draw = drawFrom(seed);
    for (let at = 0; at < worlds; at += 1) await askWorld(draw, Math.ceil(requests / worlds));
    expect(met.count()).toBeGreaterThanOrEqual(requests);
  }, 300_000);

  it(
    'stands there, on a tour of what is seldom met by chance',
    () => askTour(met, limits),
    600_000,
  );

  it(
    'stands there, where the ledger is away or has a bug, and where too much is asked',
    () => askFaultyWorlds(met, limits),
    600_000,
  );

  it(
    'stands there over a socket, where requests are slow, too large or no HTTP',
    () => askOverSockets(met, limits),
    600_000,
  );

  it('was one of every status of every operation', () => {
    expect(met.missing()).toEqual([]);
    expect(met.needless()).toEqual([]);
    expect(met.codes().length).toBeGreaterThan(40);
  });
});

afterAll(() => {
  process.stdout.write(`conformance: ${met.count()} answers held against the document\n`);
});

async function askWorld(draw: Draw, count: number): Promise<void> {
  let isAway = false;
  const fault = (): void => {
    if (isAway) throw new StoreFault('store.unavailable', 'safe', 'away (injected)');
  };
  const store = createFaultyEventStore(createMemoryEventStore(), {
    beforeAppend: fault,
    beforeRead: fault,
  });
  const world = await openWorld({ store, limits, tools: moreTools });
  await prepare(world);
  let known = await knownIn(world);
  for (let at = 0; at < count; at += 1) {
    if (draw.chance(0.2)) isAway = await happen(world, draw);
    if (!isAway && at % 25 === 0) known = await knownIn(world);
    const operation = draw.one(weighted);
    const request = generated(operation, known, draw);
    const said = await world.ask(request.ask);
    met.hold(operation, said, request.ask);
    holdFit(operation, request, said);
  }
  isAway = false;
  await world.close();
}

/** What makes something new is asked more often. */
const weighted = operations.flatMap((each) =>
  ['propose', 'startWorkflow', 'takeStep', 'vote'].includes(each.id)
    ? Array.from({ length: 5 }, () => each)
    : [each],
);

/** @returns whether the store is away from now on */
async function happen(world: World, draw: Draw): Promise<boolean> {
  const event = draw.one(['doubt', 'refused', 'hang', 'pause', 'later', 'away', ...fine] as const);
  if (event === 'doubt' || event === 'refused' || event === 'hang') world.nextSends(event);
  world.pause(event === 'pause');
  if (event === 'later') await world.time.advance(300_000);
  return event === 'away';
}

const fine = ['fine', 'fine', 'fine'] as const;

/** Where what is asked for depends on two members together, or on what it was. */
const mayBeMore = new Set(['pause', 'resume', 'propose']);

function holdFit({ id }: Operation, { ask, fits }: Generated, said: Said): void {
  const isMisfit = said.json.code === 'request.invalid';
  if (fits === true && isMisfit && !mayBeMore.has(id))
    throw new Error(
      `${id} is sound by the document: ${JSON.stringify(ask)}: ${said.text.slice(0, 999)}`,
    );
  if (fits === false && said.status < 400)
    throw new Error(
      `${id} is not sound by the document: ${JSON.stringify(ask)}: ${said.text.slice(0, 999)}`,
    );
}
