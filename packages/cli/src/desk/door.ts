// The way of what people say to a ledger: over HTTP where a URL is named; else to the process that has
// the file, over its socket; else into the file itself, where no process has it.
import { askOwner, type FileOwner, readOwner } from '@action-ledger/event-store-sqlite';
import { type DeskRequest, openDesk } from '@action-ledger/standalone';
import { type Command } from 'commander';
import { CliError, usageError } from '../cli-error.ts';
import { type Io } from '../io.ts';
import { isAlive } from '../ledger-file/is-alive.ts';
import {
  addJsonOption,
  addPathOption,
  ledgerPath,
  type PathOption,
} from '../ledger-file/ledger-path.ts';

export interface DoorOptions extends PathOption {
  readonly url?: string;
  readonly by?: string;
  readonly json?: boolean;
}

export type DeskAsk = DeskRequest extends infer Each
  ? Each extends { readonly as: unknown }
    ? Omit<Each, 'as'>
    : never
  : never;

export interface Door {
  /** @throws CliError what the ledger refuses, with its code */
  ask(asked: DeskAsk, tenant: string): Promise<unknown>;
  /** Of the ledger's file; undefined where it lies with another machine. */
  readonly path: string | undefined;
  close(): Promise<void>;
}

const answerWithinMs = 30_000;

export function addDoorOptions(command: Command): Command {
  return addJsonOption(
    addPathOption(command)
      .option('--url <url>', 'a ledger that answers over HTTP; its key: $ACTION_LEDGER_API_KEY')
      .option('--by <name>', 'your name, as it stands on record (default: $USER)'),
  );
}

/** @throws CliError, StoreFault */
export async function openDoor(io: Io, options: DoorOptions): Promise<Door> {
  const url = options.url ?? io.env['ACTION_LEDGER_URL'];
  if (url !== undefined && url !== '') return httpDoor(io, url);
  const name = nameOf(io, options);
  const path = ledgerPath(io, options);
  const owner = readOwner(path);
  if (owner !== undefined && isAlive(owner.pid)) return socketDoor(io, path, owner, name);
  const desk = await openDesk({ path, runtime: io.runtime });
  return {
    path,
    ask: async (asked, tenant) => told(await desk.answer({ ...asked, as: { name, tenant } })),
    close: () => desk.close(),
  };
}

function nameOf(io: Io, { by }: DoorOptions): string {
  const name = by ?? io.env['USER'] ?? io.env['LOGNAME'] ?? '';
  if (name.trim() === '')
    throw usageError('nobody is named', 'say who you are, for the record: --by ann.');
  return name;
}

function socketDoor(io: Io, path: string, owner: FileOwner, name: string): Door {
  return {
    path,
    ask: async (asked, tenant) => {
      const request = JSON.parse(JSON.stringify({ ...asked, as: { name, tenant } })) as never;
      const { runtime } = io;
      const answer = await askOwner(owner.socket, request, {
        timeoutMs: answerWithinMs,
        runtime,
      }).catch((fault: unknown) => {
        throw new CliError('cli.no-door', `process ${owner.pid} has ${path} and does not answer`, {
          fix: 'a program with `createLedger` has no door of its own: ask that program, or start the ledger with `action-ledger start`.',
          cause: fault,
        });
      });
      return told(answer);
    },
    close: async () => Promise.resolve(),
  };
}

function httpDoor(io: Io, url: string): Door {
  const key = io.env['ACTION_LEDGER_API_KEY'];
  return {
    path: undefined,
    ask: async (asked) => {
      if (asked.ask !== 'api')
        throw usageError(
          'keys and pauses are kept on the machine of the ledger',
          'run the command there, with --path instead of --url.',
        );
      const response = await send(url, asked, key).catch((fault: unknown) => {
        throw new CliError('cli.unreachable', `${url} cannot be reached`, {
          fix: 'is it the address that `action-ledger start` has printed?',
          cause: fault,
        });
      });
      const text = await response.text();
      return told({
        status: response.status,
        body: text === '' ? null : (JSON.parse(text) as unknown),
      });
    },
    close: async () => Promise.resolve(),
  };
}

function send(
  url: string,
  { method, path, body }: Extract<DeskAsk, { readonly ask: 'api' }>,
  key: string | undefined,
): Promise<Response> {
  return fetch(new URL(path, url), {
    method,
    signal: AbortSignal.timeout(answerWithinMs),
    headers: {
      ...(key === undefined ? {} : { 'x-api-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** What was answered, where it is no refusal. */
function told(answer: unknown): unknown {
  const { status, body } = answer as { readonly status: number; readonly body: unknown };
  if (status < 400) return body;
  const { code = `http.${status}`, detail = 'the ledger refused' } = (body ?? {}) as {
    readonly code?: string;
    readonly detail?: string;
  };
  throw new CliError(code, detail.replace(/\.$/, ''), { fix: fixFor(code, status) });
}

function fixFor(code: string, status: number): string {
  if (status === 401)
    return 'put a key into ACTION_LEDGER_API_KEY; `action-ledger keys create` makes one.';
  if (status === 403) return 'use a key whose role may do this.';
  if (code === 'action.too-early')
    return 'wait so long, or say --forced: then it ends failed, with its doubt on record.';
  if (code === 'action.stale-revision')
    return 'look at it again with `action-ledger actions show`, and decide again.';
  return 'docs/errors.md says what to do about it.';
}
