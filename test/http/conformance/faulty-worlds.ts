// Every operation where the ledger behind it is away or has a bug, where it cannot be known who asks, where it is
// not known or has no role, and where too much is asked.
import { createOpenAccess } from '@action-ledger/access';
import { StoreFault } from '@action-ledger/event-store';
import { type Ask, inWorld, keyed, type Said, type WorldOptions } from '../world.ts';
import { drawFrom } from './draw.ts';
import { generated } from './generated-request.ts';
import { type Met } from './met.ts';
import { type Operation, operations } from './operations.ts';
import { all, type Known, knownIn, moreTools, prepare } from './states.ts';

export async function askFaultyWorlds(met: Met, limits: WorldOptions['limits']): Promise<void> {
  await askBroken(met, limits);
  await askUnknown(met, limits);
  await askTooOften(met, limits);
  await askWithoutKeys(met, limits);
}

type End = 'well' | 'away' | 'bug';

/** What every look at it ends in, as soon as it is told so. */
function breakable<Target extends object>(target: Target, end: () => End): Target {
  return new Proxy(target, {
    get: (of, name, receiver): unknown => {
      if (end() === 'away') throw new StoreFault('store.unavailable', 'safe', 'away (injected)');
      if (end() === 'bug') throw new TypeError('a bug (injected)');
      return Reflect.get(of, name, receiver);
    },
  });
}

async function askBroken(met: Met, limits: WorldOptions['limits']): Promise<void> {
  let end: End = 'well';
  const told = (): End => end;
  await inWorld({ limits: { ...limits }, tools: moreTools }, async (whole) => {
    await prepare(whole);
    const { ledger, keys, store } = whole;
    const deps = {
      ledger: breakable(ledger, told),
      keys: breakable(keys, told),
      feed: breakable(store, told),
      tools: breakable({ get: () => undefined, all: [], undoneByTool: () => [] }, told),
    };
    await inWorld({ limits: { ...limits }, deps }, async (world) => {
      const known = await knownIn(whole);
      for (const each of ['away', 'bug'] as const)
        for (const operation of operations)
          for (const seed of [1, 2, 3, 4, 5, 6]) {
            const request = sound(operation, known, seed);
            end = each;
            met.hold(operation, await world.ask(request), request);
            end = 'well';
          }
    });
  });
}

/** One that passes the doors and fits the forms: the first that was drawn so. */
function sound(operation: Operation, known: Known, seed = 1): Ask {
  const draw = drawFrom(seed);
  for (let tries = 0; tries < 1_000; tries += 1) {
    const { ask, fits } = generated(operation, known, draw);
    const isAimed = !operation.path.includes('{id}') || !/A{43}|no%20id|%2F|%C3|w-9/.test(ask.url);
    const isSeen = ask.headers?.['if-match'] === undefined && !ask.url.includes('cursor');
    if (fits === true && isAimed && isSeen) return { ...ask, as: `${all}+owner` };
  }
  throw new Error(`no sound request was drawn for ${operation.id}`);
}

async function askUnknown(met: Met, limits: WorldOptions['limits']): Promise<void> {
  const access = {
    authenticate: (credentials: Parameters<typeof keyed.authenticate>[0]) => {
      if (credentials.apiKey === 'away') throw new Error('away (injected)');
      return keyed.authenticate(credentials);
    },
  };
  await inWorld({ limits: { ...limits }, access, tools: moreTools }, async (world) => {
    await prepare(world);
    const known = await knownIn(world);
    for (const operation of operations)
      for (const as of [null, 'nobody', 'acme:', 'away']) {
        const request = { ...sound(operation, known), as };
        met.hold(operation, await world.ask(request), request);
      }
  });
  await inWorld({ limits: { ...limits }, access: createOpenAccess() }, async (world) => {
    const request = { url: '/v1/tools', headers: { host: 'elsewhere.example' } };
    const [operation] = operations.filter(({ id }) => id === 'listTools');
    if (operation !== undefined) met.hold(operation, await world.ask(request), request);
  });
}

async function askTooOften(met: Met, limits: WorldOptions['limits']): Promise<void> {
  await inWorld({ limits: { ...limits, requestsPerMinute: 1 } }, async (world) => {
    const known = await knownIn(world);
    for (const operation of operations) {
      const request = { ...sound(operation, known), as: `${all}:often-${operation.id}` };
      await world.ask(request);
      const said: Said = await world.ask(request);
      met.hold(operation, said, request);
    }
  });
}

async function askWithoutKeys(met: Met, limits: WorldOptions['limits']): Promise<void> {
  const deps = { keys: undefined } as unknown as NonNullable<WorldOptions['deps']>;
  await inWorld({ limits: { ...limits }, deps }, async (world) => {
    for (const operation of operations.filter(({ path }) => path.startsWith('/v1/keys'))) {
      const request = sound(operation, await knownIn(world));
      met.hold(operation, await world.ask(request), request);
    }
  });
}
