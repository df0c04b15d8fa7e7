// The door of the process that holds a file: requests and answers as lines of JSON over a Unix
// socket that only its user can reach. Other processes of that user, the CLI first of all, ask here
// for what they may not write themselves.
import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { type JsonValue } from '@action-ledger/domain';
import { StoreFault, type StoreFaultCode } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { storeFaultOf } from './sqlite-faults.ts';

export interface OwnerSocket {
  readonly path: string;
  close(): Promise<void>;
}

export type OwnerHandler = (request: JsonValue) => Promise<JsonValue>;

const lineCharactersMax = 4 * 1024 * 1024;
const connectionsMax = 32;

/** Replaces a socket that an earlier process has left at this path. */
export async function serveOwnerSocket(path: string, handler: OwnerHandler): Promise<OwnerSocket> {
  removeSocket(path);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    // The asker has gone: there is nobody to tell.
    socket.on('error', () => socket.destroy());
    answerLines(socket, handler);
  });
  server.maxConnections = connectionsMax;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(storeFaultOf(error, path));
    });
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  server.unref();
  return {
    path,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of open) socket.destroy();
        removeSocket(path);
      }),
  };
}

export interface AskOptions {
  readonly timeoutMs: number;
  readonly runtime: Runtime;
}

/**
 * @throws StoreFault what the owner's handler threw, or `store.unavailable`: `safe` where nobody
 *   listens, `unsafe` where the request was sent and no answer came.
 */
export async function askOwner(
  path: string,
  request: JsonValue,
  { timeoutMs, runtime }: AskOptions,
): Promise<JsonValue> {
  checkOwnership(path);
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    let isSent = false;
    const give = (settle: () => void): void => {
      timer.cancel();
      socket.destroy();
      settle();
    };
    const fail = (what: string, cause?: unknown): void => {
      give(() => {
        reject(noAnswer(path, what, isSent, cause));
      });
    };
    const timer = runtime.timers.after(timeoutMs, () => {
      fail(`did not answer within ${timeoutMs} ms`);
    });
    socket.on('connect', () => {
      isSent = true;
      socket.write(`${JSON.stringify(request)}\n`);
    });
    socket.on('error', (error) => {
      fail('could not be reached', error);
    });
    socket.on('close', () => {
      fail('closed the connection without an answer');
    });
    readLines(socket, (line) => {
      give(() => {
        try {
          resolve(valueOf(line));
        } catch (error) {
          reject(error instanceof StoreFault ? error : noAnswer(path, 'gave no JSON', true, error));
        }
      });
    });
  });
}

/** Removes a socket and nothing else: another file at that path is left alone. */
export function removeSocket(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSocket() === true) rmSync(path, { force: true });
}

type Answer =
  | { readonly value: JsonValue }
  | { readonly fault: Pick<StoreFault, 'code' | 'retry' | 'message' | 'detail'> };

function answerLines(socket: Socket, handler: OwnerHandler): void {
  // One request at a time per connection: answers keep the order of the requests.
  let before = Promise.resolve();
  readLines(socket, (line) => {
    before = before.then(async () => {
      const answer = await answerTo(line, handler);
      if (socket.writable) socket.write(`${JSON.stringify(answer)}\n`);
    });
  });
}

async function answerTo(line: string, handler: OwnerHandler): Promise<Answer> {
  try {
    return { value: await handler(JSON.parse(line) as JsonValue) };
  } catch (error) {
    const { code, retry, message, detail } =
      error instanceof StoreFault
        ? error
        : new StoreFault('store.unavailable', 'unsafe', `The owner failed: ${String(error)}`);
    return { fault: { code, retry, message, detail } };
  }
}

function valueOf(line: string): JsonValue {
  const answer = JSON.parse(line) as Answer;
  if ('value' in answer) return answer.value;
  const { code, retry, message, detail } = answer.fault;
  throw new StoreFault(code satisfies StoreFaultCode, retry, message, { detail });
}

function readLines(socket: Socket, onLine: (line: string) => void): void {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > lineCharactersMax) socket.destroy(new Error('The line is too long.'));
    else lines.forEach(onLine);
  });
}

/** A socket of another user could answer anything. */
function checkOwnership(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw noAnswer(path, 'is not there', false);
  const self = process.geteuid?.();
  if (!found.isSocket() || (self !== undefined && self !== 0 && found.uid !== self)) {
    throw noAnswer(path, 'is not a socket of this user', false);
  }
}

function noAnswer(path: string, what: string, isSent: boolean, cause?: unknown): StoreFault {
  return new StoreFault(
    'store.unavailable',
    isSent ? 'unsafe' : 'safe',
    `The owner of the file at ${path} ${what}.`,
    { cause },
  );
}
