// A proxy on the loopback between a program and a gateway that does to each request what a test says: hands it
// on, loses it, loses or cuts its reply, keeps it, or answers in its own words. Without more to do it hands on.
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

export type Fate =
  | 'pass'
  /** Never handed on. */
  | 'lose request'
  /** Carried out, and nothing of the answer arrives. */
  | 'lose reply'
  /** Half of the answer arrives. */
  | 'cut reply'
  /** Carried out, and the line is left open without a word. */
  | 'keep reply'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string };

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

export interface Proxy {
  readonly url: string;
  /** What becomes of the next requests, in order. */
  readonly next: (...fates: readonly Fate[]) => void;
  /** Of every request that no other fate is waiting for. */
  readonly always: (fate: Fate) => void;
  readonly seen: readonly Seen[];
  /** Resolves when so many requests have come to what was meant for them. */
  readonly done: (count: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function openProxy(to: string): Promise<Proxy> {
  const fates: Fate[] = [];
  const seen: Seen[] = [];
  const waiting: { readonly count: number; readonly go: () => void }[] = [];
  let usual: Fate = 'pass';
  let done = 0;
  const over = (): void => {
    done += 1;
    for (const { count, go } of waiting) if (done >= count) go();
  };
  const server = createServer((asked, answer) => {
    void textOf(asked).then((body) => {
      const { method = '', url: path = '', headers } = asked;
      seen.push({ method, path, body, headers });
      perform(fates.shift() ?? usual, to, { method, path, body, headers }, answer, over);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    next: (...more) => void fates.push(...more),
    always: (fate) => {
      usual = fate;
    },
    seen,
    done: (count) =>
      new Promise((go) => {
        if (done >= count) go();
        else waiting.push({ count, go });
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

function perform(
  fate: Fate,
  to: string,
  asked: Seen,
  answer: ServerResponse,
  over: () => void,
): void {
  if (typeof fate === 'object') {
    answer.writeHead(fate.status, fate.headers).end(fate.body ?? '', over);
    return;
  }
  if (fate === 'lose request') {
    answer.destroy();
    over();
    return;
  }
  const { method, path, headers, body } = asked;
  const onward = request(new URL(path, to), { method, headers, agent: false }, (reply) => {
    void textOf(reply).then((text) => {
      give(fate, { status: reply.statusCode ?? 0, headers: reply.headers, text }, answer);
      over();
    });
  });
  // The gateway is not there, or has died.
  onward.on('error', () => {
    answer.destroy();
    over();
  });
  onward.end(body);
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

function give(fate: Exclude<Fate, object>, reply: Reply, answer: ServerResponse): void {
  if (fate === 'keep reply') return;
  if (fate === 'lose reply') {
    answer.destroy();
    return;
  }
  const { connection: _own, ...headers } = reply.headers;
  answer.writeHead(reply.status, headers);
  if (fate === 'pass') answer.end(reply.text);
  else
    answer.write(reply.text.slice(0, reply.text.length / 2), () => {
      answer.destroy();
    });
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of message) chunks.push(chunk as Buffer);
  } catch {
    // Cut off: what there is.
  }
  return Buffer.concat(chunks).toString('utf8');
}
