// The ledger of a play behind HTTP: a server that somebody has started, or one that the play starts and
// kills. Callers and provider are the play's; what lies between them is the service as it ships.
import { draw, type DeclaredTools, distinctTools, serveProvider } from '@action-ledger/sandbox';
import { CliError } from '../cli-error.ts';
import { type Deliverer } from './delivery.ts';
import { createOverHttp } from './over-http.ts';
import { OwnServer } from './own-server.ts';
import { cataloguesOf } from './play-files.ts';
import { type PlayOptions, type ServerOptions } from './play-options.ts';
import { createServerKeys, type ServerKeys } from './server-keys.ts';
import { nobodyKilled, type Outside, type Stage, type StageDeps } from './stage-parts.ts';

export async function openBehindServer(
  options: PlayOptions,
  server: Exclude<ServerOptions, { kind: 'distributed' }>,
  path: string,
  tools: DeclaredTools,
  outside: Outside,
  deps: StageDeps,
): Promise<Stage> {
  const keys = createServerKeys(path, deps.runtime);
  const playing: Playing = { options, path, tools, outside, deps, keys };
  const stage =
    server.kind === 'own' ? openOwn(playing, server.kills) : openRunning(playing, server);
  const { provider, drawn, world } = outside;
  return {
    ...nobodyKilled,
    provider,
    drawn,
    openRun: (run) => {
      world.open(run);
    },
    closeRun: ({ tenant }) => {
      world.close(tenant);
      keys.forget(tenant);
    },
    ...(await stage),
  };
}

interface Playing {
  readonly options: PlayOptions;
  readonly path: string;
  readonly tools: DeclaredTools;
  readonly outside: Outside;
  readonly deps: StageDeps;
  readonly keys: ServerKeys;
}

type Behind = Pick<Stage, 'ledger' | 'close'> & Partial<Pick<Stage, 'serverKills'>>;

async function openOwn(playing: Playing, kills: number): Promise<Behind> {
  const { options, path, outside, deps, keys } = playing;
  const { runtime, startServer: start } = deps;
  const served = await serveProvider(outside.provider);
  const catalogues = cataloguesOf(options.files, options.catalogue);
  const server = new OwnServer({ start, path, catalogues, provider: served.url });
  const close = (): Promise<void> => server.close().finally(served.close);
  try {
    const url = await server.opened;
    const send = createOverHttp({ url, keyOf: keys.of, runtime, failure: () => server.failure });
    const deliver: Deliverer['deliver'] = (delivery) => {
      const { tenant, seq } = delivery;
      const isDrawn = draw(options.seed, 'kill server', tenant, seq) < kills;
      const afterMs = draw(options.seed, 'killed after', tenant, seq) * strikeWithinMs;
      if (isDrawn)
        runtime.timers.after(afterMs, () => {
          server.strike();
        });
      return send(delivery);
    };
    return { ledger: { deliver, close }, close, serverKills: () => server.kills };
  } catch (error) {
    await served.close();
    throw error;
  }
}

/** A call takes a few milliseconds: the kill meets it, or what others do meanwhile. */
const strikeWithinMs = 15;

async function openRunning(
  { tools, outside, deps, keys }: Playing,
  { url, providerPort }: Extract<ServerOptions, { kind: 'running' }>,
): Promise<Behind> {
  const served = await serveProvider(outside.provider, providerPort).catch((fault: unknown) => {
    throw new CliError('play.server', `127.0.0.1:${providerPort} is taken by another program`, {
      fix: 'name another with --provider-port, and the same with `action-ledger start --provider`.',
      cause: fault,
    });
  });
  try {
    await checkTools(url, tools, await keys.of('play'));
  } catch (error) {
    await served.close();
    throw error;
  }
  const send = createOverHttp({ url, keyOf: keys.of, runtime: deps.runtime });
  const deliver: Deliverer['deliver'] = async (delivery) => {
    const told = await send(delivery);
    if (told.state === 'unknown' && outside.provider.arrivals.length === 0)
      throw otherProvider(url, served.url);
    return told;
  };
  return { ledger: { deliver, close: served.close }, close: served.close };
}

async function checkTools(url: string, tools: DeclaredTools, key: string): Promise<void> {
  const served = await toolsAt(url, key);
  const missing = distinctTools(tools).find(({ name }) => !served.includes(name));
  if (missing === undefined) return;
  throw new CliError('play.server', `${url} does not serve the tool ${missing.name}`, {
    fix: 'start it with `action-ledger start --sandbox` and the catalogue of these files.',
  });
}

async function toolsAt(url: string, key: string): Promise<readonly string[]> {
  try {
    const response = await fetch(new URL('/v1/tools', url), { headers: { 'x-api-key': key } });
    const { tools = [] } = (await response.json()) as { tools?: readonly { name: string }[] };
    return tools.map(({ name }) => name);
  } catch (fault) {
    throw new CliError('play.server', `${url} cannot be reached`, {
      fix: 'is it the address that `action-ledger start --sandbox` has printed?',
      cause: fault,
    });
  }
}

function otherProvider(url: string, provider: string): CliError {
  return new CliError('play.server', `the tools at ${url} do not call this play (${provider})`, {
    fix: 'start it with `action-ledger start --sandbox`, and with the same --provider where you name one.',
  });
}
