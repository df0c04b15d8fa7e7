// The services of a distributed ledger, each in a process of its own, over the store and the brokers that the
// environment names.
import { type Env, Member, type StartMember } from './member.ts';

/** What a play needs to start one. */
export interface FleetDeps {
  /** In which the servers are named. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly startMember: StartMember;
  /** Module of the play's tools. */
  readonly toolsFile: () => string;
}

export interface FleetOptions {
  readonly start: StartMember;
  readonly env: Env;
  /** Each as often as it is named; the gateway first. Default: two executors, and one of each other. */
  readonly services?: readonly string[];
}

const servicesUsual = [
  'gateway',
  'projector',
  'executor',
  'executor',
  'reconciler',
  'compensator',
  'auditor',
];

export interface Fleet {
  readonly members: readonly Member[];
  /** Of the gateway. */
  readonly url: string;
  /** Why nobody will answer any more. */
  readonly failure: () => Error | undefined;
  readonly kills: () => number;
  /** In the order in which calls go: who is asked first takes nothing new first. */
  readonly close: () => Promise<void>;
}

/** Probes of all of them are on ports that are free. */
const anyPort = { ACTION_LEDGER_PORT: '0', ACTION_LEDGER_PROBE_PORT: '0' };

/** @throws where one of them does not start */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { start, env, services = servicesUsual } = options;
  const members = services.map(
    (service) => new Member({ start, service, env: { ...anyPort, ...env } }),
  );
  const close = async (): Promise<void> => {
    const [gateway, ...others] = members;
    const first = await Promise.allSettled([gateway?.close()]);
    const rest = await Promise.allSettled(others.map((member) => member.close()));
    // Of those that have ended otherwise one is told, when none of the others needs the servers any more.
    await Promise.all([...first, ...rest].map((ended) => unlessRejected(ended)));
  };
  try {
    const [gateway] = await Promise.all(members.map(({ started }) => started));
    return {
      members,
      url: gateway?.urls['api'] ?? '',
      failure: () => members.find(({ failure }) => failure !== undefined)?.failure,
      kills: () => members.reduce((sum, { kills }) => sum + kills, 0),
      close,
    };
  } catch (error) {
    await Promise.allSettled(members.map((member) => member.close()));
    throw error;
  }
}

function unlessRejected(ended: PromiseSettledResult<unknown>): Promise<unknown> {
  return ended.status === 'rejected' ? Promise.reject(ended.reason as Error) : Promise.resolve();
}
