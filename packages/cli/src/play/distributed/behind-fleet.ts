// The ledger of a play in its distributed size: services in processes of their own, over an EventStoreDB and
// Kafka brokers that are there. Streams and topics of the play have a prefix that nobody else has.
import { openStore, readSettings } from '@action-ledger/process';
import { type Runtime } from '@action-ledger/runtime';
import { draw, serveProvider } from '@action-ledger/sandbox';
import { CliError } from '../../cli-error.ts';
import { type Deliverer } from '../delivery.ts';
import { createOverHttp } from '../over-http.ts';
import { cataloguesOf } from '../play-files.ts';
import { type PlayOptions } from '../play-options.ts';
import { nobodyKilled, type Outside, type Stage } from '../stage-parts.ts';
import { type Fleet, type FleetDeps, startFleet } from './fleet.ts';
import { openIdentityProvider } from './identity-provider.ts';

/** A call takes some tens of milliseconds: the kill meets it, or what others do meanwhile. */
const strikeWithinMs = 60;

/** @throws CliError, SetupFault where the environment names no servers */
export async function openBehindFleet(
  options: PlayOptions,
  killShare: number,
  { provider, world, drawn }: Outside,
  runtime: Runtime,
  deps: FleetDeps,
): Promise<Stage> {
  const env = envOf(deps, runtime.ids.next().replaceAll(/\W/g, '').slice(0, 8));
  const settings = readSettings(env);
  const store = await openStore(settings, runtime);
  const served = await serveProvider(provider);
  const identities = await openIdentityProvider();
  const fleet = await startFleet({
    start: deps.startMember,
    env: {
      ...env,
      ...identities.settings,
      ACTION_LEDGER_TOOLS: deps.toolsFile(),
      PLAY_CATALOGUES: JSON.stringify(cataloguesOf(options.files, options.catalogue)),
      PLAY_PROVIDER: served.url,
    },
  }).catch(async (error: unknown) => {
    await Promise.all([store.close(), served.close(), identities.close()]);
    throw error;
  });
  const send = createOverHttp({
    url: fleet.url,
    keyOf: identities.tokenOf,
    runtime,
    failure: fleet.failure,
  });
  const deliver: Deliverer['deliver'] = (delivery) => {
    strikeSometimes(options, killShare, delivery, fleet, runtime);
    return send(delivery);
  };
  const close = async (): Promise<void> => {
    await fleet.close().finally(() => Promise.all([served.close(), identities.close()]));
  };
  return {
    ...nobodyKilled,
    provider,
    drawn,
    record: store,
    ledger: { deliver, close },
    serverKills: fleet.kills,
    openRun: (run) => {
      world.open(run);
    },
    closeRun: ({ tenant }) => {
      world.close(tenant);
    },
    close,
  };
}

/** @throws CliError where no servers are named */
function envOf({ env }: Pick<FleetDeps, 'env'>, name: string): Readonly<Record<string, string>> {
  const own = Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  if (own['ACTION_LEDGER_EVENTSTOREDB_URL'] === undefined)
    throw new CliError('play.server', 'no EventStoreDB and no Kafka brokers are named', {
      fix: 'set ACTION_LEDGER_EVENTSTOREDB_URL and ACTION_LEDGER_KAFKA_BROKERS; `npm run distributed -- play …` brings both.',
    });
  return {
    ...own,
    ACTION_LEDGER_STREAM_PREFIX: `play_${name}.`,
    ACTION_LEDGER_KAFKA_PREFIX: `play_${name}.`,
    // What it takes for others to notice that one was killed.
    ACTION_LEDGER_KAFKA_SESSION_MS: own['ACTION_LEDGER_KAFKA_SESSION_MS'] ?? '6000',
    ACTION_LEDGER_LOG_LEVEL: own['ACTION_LEDGER_LOG_LEVEL'] ?? 'error',
    ACTION_LEDGER_ACCESS_LOG: 'false',
  };
}

function strikeSometimes(
  { seed }: PlayOptions,
  killShare: number,
  { tenant, seq }: { readonly tenant: string; readonly seq: number },
  { members }: Fleet,
  runtime: Runtime,
): void {
  if (draw(seed, 'kill service', tenant, seq) >= killShare) return;
  const member = members[Math.floor(draw(seed, 'which', tenant, seq) * members.length)];
  runtime.timers.after(draw(seed, 'killed after', tenant, seq) * strikeWithinMs, () => {
    member?.strike();
  });
}
