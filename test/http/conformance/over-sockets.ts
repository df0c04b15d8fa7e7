// Every operation over a real socket, where what arrives is no HTTP, too large or too slow; and a stream of events.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createSystemRuntime } from '@action-ledger/runtime';
import { inWorld, type Json, type Said, type WorldOptions } from '../world.ts';
import { type Met } from './met.ts';
import { operations } from './operations.ts';

export async function askOverSockets(met: Met, limits: WorldOptions['limits']): Promise<void> {
  const own = { ...limits, headersTimeoutMs: 300, requestTimeoutMs: 300 };
  await inWorld({ limits: own, deps: { runtime: createSystemRuntime() } }, async ({ gateway }) => {
    const { url } = await gateway.start();
    const port = Number(new URL(url).port);
    const ask = async (bytes: string): Promise<Said> => saidOf(await raw(port, bytes));
    await Promise.all(
      operations.map(async (operation) => {
        const { method, path } = operation;
        const line = `${method} ${path.replaceAll(/[{}]/g, '')} HTTP/1.1\r\n`;
        for (const [bytes, status] of [
          [`${line}Host: x\r\nConnection: clo`, 408],
          [`${line}Connection: close\r\n\r\n`, 400],
          [`${line}Host: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
          [`${line}Host: x\r\nNo header\r\n\r\n`, 400],
          [`${line}Host: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`, 400],
        ] as const) {
          const said = await ask(bytes);
          if (said.status !== status)
            throw new Error(
              `${operation.id}: ${said.status}, not ${status}, to ${bytes.slice(0, 99)}`,
            );
          met.hold(operation, said, bytes.slice(0, 99));
        }
      }),
    );
  });
}

async function raw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

function saidOf(answer: string): Said {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const headers = fields.map((field) => {
    const [name = '', ...value] = field.split(':');
    return [name.toLowerCase(), value.join(':').trim()] as const;
  });
  return {
    status: Number(line.split(' ')[1]),
    headers: Object.fromEntries(headers),
    text: body,
    json: JSON.parse(body) as Json,
  };
}
