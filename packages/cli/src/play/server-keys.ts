// API keys for the runs of a play, each for its own tenant, made through the door of the machine: the
// socket that belongs to the server's file. Made again where the server was killed meanwhile.
import { askOwner, readOwner } from '@action-ledger/event-store-sqlite';
import { type Runtime } from '@action-ledger/runtime';
import { type DeskRequest } from '@action-ledger/standalone';
import { CliError } from '../cli-error.ts';
import { pause } from './over-http.ts';

export interface ServerKeys {
  readonly of: (tenant: string) => Promise<string>;
  readonly forget: (tenant: string) => void;
}

const giveUpMs = 60_000;
const answerWithinMs = 10_000;
const againMs = 50;
const name = 'play';

/** @param path the server's file */
export function createServerKeys(path: string, runtime: Runtime): ServerKeys {
  const known = new Map<string, Promise<string>>();
  // One after the other: the socket is made for people.
  let last: Promise<unknown> = Promise.resolve();
  const make = (tenant: string): Promise<string> => {
    const made = last.then(() => makeKey(path, runtime, tenant));
    last = made.catch(() => undefined);
    return made;
  };
  return {
    of: (tenant) => {
      const key = known.get(tenant) ?? make(tenant);
      known.set(tenant, key);
      return key;
    },
    forget: (tenant) => {
      known.delete(tenant);
    },
  };
}

async function makeKey(path: string, runtime: Runtime, tenant: string): Promise<string> {
  const body = { name, tenant, roles: ['proposer'] };
  const asked = { as: { name, tenant }, method: 'POST', path: '/v1/keys', body } as const;
  const lateAt = runtime.clock.monoMs() + giveUpMs;
  for (;;) {
    const told = await ask(path, runtime, asked);
    if (told instanceof Error) {
      if (runtime.clock.monoMs() > lateAt) throw noDoor(path, told);
    } else if (told.status === 201) return told.body.text ?? '';
    else throw noDoor(path, new Error(told.body.detail));
    await pause(runtime, againMs);
  }
}

interface Told {
  readonly status: number;
  readonly body: { readonly text?: string; readonly detail?: string };
}

async function ask(path: string, runtime: Runtime, asked: DeskRequest): Promise<Told | Error> {
  const owner = readOwner(path);
  if (owner === undefined) return new Error('no process has it');
  const options = { timeoutMs: answerWithinMs, runtime };
  try {
    return (await askOwner(owner.socket, asked as never, options)) as never;
  } catch (fault) {
    return fault instanceof Error ? fault : new Error(String(fault));
  }
}

function noDoor(path: string, cause: Error): CliError {
  return new CliError('play.server', `the server of ${path} makes no keys: ${cause.message}`, {
    fix: 'start it with `action-ledger start --sandbox`, and name its file with --path.',
    cause,
  });
}
