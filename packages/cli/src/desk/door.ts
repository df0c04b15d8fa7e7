// The way of what people say to a ledger: over HTTP where a URL is named; else to the process that has
// the file, over its socket; else into the file itself, where no process has it.
import { askOwner, type FileOwner, readOwner } from '@action-ledger/event-store-sqlite';
import type { DeskRequest } from '@action-ledger/standalone';
import { CliError, usageError } from '../cli-error.ts';
import { type Io } from '../io.ts';
import { dateTime } from '../format/time.ts';
import { isAlive } from '../ledger-file/is-alive.ts';
import { ledgerPath, userName } from '../ledger-file/ledger-path.ts';
import type { DoorOptions } from './door-options.ts';

export type DeskAsk = Omit<DeskRequest, 'as' | 'headers'>;

export interface Door {
  /** @throws CliError what the ledger refuses, with its code */
  ask(asked: DeskAsk, tenant: string): Promise<unknown>;
  /** Of the ledger's file; undefined where it lies with another machine. */
  readonly path: string | undefined;
  close(): Promise<void>;
}

const answerWithinMs = 30_000;

/** @throws CliError, StoreFault */
export async function openDoor(io: Io, options: DoorOptions): Promise<Door> {
  const url = options.url ?? io.env['ACTION_LEDGER_URL'];
  if (url !== undefined && url !== '') return httpDoor(io, url);
  const path = ledgerPath(io, options);
  const owner = readOwner(path);
  if (owner !== undefined && isAlive(owner.pid)) return socketDoor(io, options, path, owner);
  // A whole ledger with its API: loaded where it is opened.
  const { openDesk } = await import('@action-ledger/standalone');
  const desk = await openDesk({ path, runtime: io.runtime });
  return {
    path,
    ask: async (asked, tenant) => {
      // Nothing runs here that could be waited for.
      const headers = { prefer: 'wait=0' };
      const name = nameFor(io, options, asked);
      return told(await desk.answer({ ...asked, as: { name, tenant }, headers }));
    },
    close: () => desk.close(),
  };
}

/** Whoever only looks leaves nothing on record. @throws CliError where a person must be named */
function nameFor(io: Io, options: DoorOptions, { method }: DeskAsk): string {
  const name = options.by ?? userName(io);
  return name.trim() === '' && method === 'GET' ? 'a reader' : nameOf(io, options);
}

/** As it stands on record. @throws CliError where a person must be named */
export function nameOf(io: Io, { by }: Pick<DoorOptions, 'by'>): string {
  const name = by ?? userName(io);
  if (name.trim() === '')
    throw usageError('nobody is named', 'say who you are, for the record: --by ann.');
  return name;
}

function socketDoor(io: Io, options: DoorOptions, path: string, owner: FileOwner): Door {
  return {
    path,
    ask: async (asked, tenant) => {
      const name = nameFor(io, options, asked);
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
  { method, path, body }: DeskAsk,
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
  const {
    code = `http.${status}`,
    detail = 'the ledger refused',
    facts,
  } = (body ?? {}) as {
    readonly code?: string;
    readonly detail?: string;
    readonly facts?: { readonly since?: readonly Since[] };
  };
  const since = (facts?.since ?? []).map(sinceText);
  const message = [detail.replace(/\.$/, ''), ...since].join('\n');
  throw new CliError(code, message, { fix: fixFor(code, status) });
}

/** What happened after the revision that was seen. */
interface Since {
  readonly revision: number;
  readonly type: string;
  readonly at: number;
  readonly by?: string;
}

function sinceText({ revision, type, at, by }: Since): string {
  return `since: revision ${revision}, ${type}${by === undefined ? '' : ` by ${by}`}, ${dateTime(at)} UTC`;
}

const fixes: Readonly<Record<string, string>> = {
  'action.status': 'look at it with `action-ledger actions show`: it may be done already.',
  'action.unknown': 'take the id from `action-ledger actions list`; over HTTP the whole of it.',
  'action.nothing-to-ask':
    'say what you found: `action-ledger unknown settle ID --found` or `--absent`.',
  'action.in-doubt': 'settle the doubt first: `action-ledger unknown settle`.',
  'action.incident-unknown': 'take its name from `action-ledger actions show`.',
  'workflow.status': 'look at it with `action-ledger workflow show`: it may have ended already.',
  'workflow.unknown': 'take the id from `action-ledger workflow list`.',
  'workflow.step-unknown': 'take its name from `action-ledger workflow show`.',
  'access.key-unknown': 'take the id from `action-ledger keys list`.',
  'pause.none': '`action-ledger pauses` lists what is paused; name the same tool and tenant.',
};

function fixFor(code: string, status: number): string {
  if (status === 401)
    return 'put a key into ACTION_LEDGER_API_KEY; `action-ledger keys create` makes one.';
  if (status === 403)
    return 'use a key whose role may do this, with --tenant for its tenant; or run it on the machine of the ledger, with --path.';
  if (code === 'action.too-early')
    return 'wait so long, or say --forced: then it ends failed, with its doubt on record.';
  if (code === 'action.stale-revision')
    return 'look at it again with `action-ledger actions show`, and decide again.';
  if (code === 'workflow.stale-revision')
    return 'look at it again with `action-ledger workflow show`, and decide again.';
  if (code === 'tool.unknown')
    return 'start the ledger with its tools: `action-ledger start --tools FILE`; then say it again.';
  return `${fixes[code] ?? 'look at it again, and see docs/errors.md.'} Its code is ${code}.`;
}
