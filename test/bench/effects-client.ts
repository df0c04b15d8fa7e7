// The call that every contender makes: POST the arguments to the endpoint over a keep-alive
// connection. Two clients, so that the ordinary one (node:http) can be measured as well.
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { createFrameReader, type Frame, writeFrame } from './http-frames.ts';
import { type ClientName } from './options.ts';
import { type PaymentArguments, type PaymentResult } from './payment.ts';

export interface EffectsClient {
  /** @throws when the connection ends without an answer: it may have taken effect. */
  send(key: string, payment: PaymentArguments): Promise<PaymentResult>;
  /** Undefined where the endpoint knows of no effect under that key. */
  find(key: string): Promise<PaymentResult | undefined>;
  close(): void;
}

export function createEffectsClient(name: ClientName, port: number): EffectsClient {
  const exchange = name === 'lean' ? createLeanExchange(port) : createNodeExchange(port);
  return {
    send: async (key, payment) => {
      const { body } = await exchange.call(
        'POST',
        '/effects',
        headersOf(key),
        JSON.stringify(payment),
      );
      return JSON.parse(body) as PaymentResult;
    },
    find: async (key) => {
      const { head, body } = await exchange.call('GET', `/effects/${key}`, headersOf(key), '');
      return head.startsWith('HTTP/1.1 404') ? undefined : (JSON.parse(body) as PaymentResult);
    },
    close: () => {
      exchange.close();
    },
  };
}

function headersOf(key: string): readonly string[] {
  return ['host: 127.0.0.1', 'content-type: application/json', `idempotency-key: ${key}`];
}

export interface Exchange {
  /** @param headers whole lines, in lower case */
  call(method: string, path: string, headers: readonly string[], body: string): Promise<Frame>;
  close(): void;
}

export function createLeanExchange(port: number): Exchange {
  const open = new Set<Socket>();
  const idle: Connection[] = [];
  const take = (): Connection => {
    const known = idle.pop();
    if (known) return known;
    const connection = openConnection(port, (ended) => {
      open.delete(ended.socket);
      const index = idle.indexOf(ended);
      if (index >= 0) idle.splice(index, 1);
    });
    open.add(connection.socket);
    return connection;
  };
  return {
    call: async (method, path, headers, body) => {
      const connection = take();
      const frame = await connection.exchange(
        writeFrame(`${method} ${path} HTTP/1.1`, headers, body),
      );
      idle.push(connection);
      return frame;
    },
    close: () => {
      for (const socket of open) socket.destroy();
    },
  };
}

interface Connection {
  readonly socket: Socket;
  exchange(text: string): Promise<Frame>;
}

function openConnection(port: number, onEnd: (connection: Connection) => void): Connection {
  let waiting: { resolve: (frame: Frame) => void; reject: (error: Error) => void } | undefined;
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const connection: Connection = {
    socket,
    exchange: (text) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(text, 'latin1');
      }),
  };
  socket.setEncoding('latin1');
  socket.on(
    'data',
    createFrameReader((frame) => {
      const caller = waiting;
      waiting = undefined;
      caller?.resolve(frame);
    }),
  );
  socket.on('error', () => undefined); // 'close' follows and tells the caller
  socket.on('close', () => {
    onEnd(connection);
    waiting?.reject(new Error('the connection ended without an answer'));
    waiting = undefined;
  });
  return connection;
}

function headersFrom(lines: readonly string[]): Readonly<Record<string, string>> {
  const pairs = lines.map((line) => line.split(': ') as [name: string, value: string]);
  return Object.fromEntries(pairs);
}

function createNodeExchange(port: number): Exchange {
  const agent = new Agent({ keepAlive: true });
  return {
    call: (method, path, lines, body) =>
      new Promise((resolve, reject) => {
        const headers = {
          ...headersFrom(lines),
          'content-length': body.length,
        };
        const sent = request(
          { host: '127.0.0.1', port, agent, method, path, headers },
          (answer) => {
            let text = '';
            answer.setEncoding('latin1');
            answer.on('data', (chunk: string) => (text += chunk));
            answer.on('error', reject);
            answer.on('end', () => {
              resolve({ head: `HTTP/1.1 ${answer.statusCode ?? 0}`, body: text });
            });
          },
        );
        sent.on('error', reject);
        sent.end(body);
      }),
    close: () => {
      agent.destroy();
    },
  };
}
