// The outside world, in a process of its own: POST /effects takes effect every time it is called (it
// does not deduplicate) and counts the effects per payment; GET /effects/<key> finds one by its
// idempotency key. While `losing`, one payment in a hundred takes effect and its first response is
// lost with the connection.
import { hash } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { createFrameReader, type Frame, header, writeFrame } from './http-frames.ts';
import { type EffectsMessage, type EffectsReply } from './messages.ts';
import { type PaymentArguments, paymentResult, type PaymentResult } from './payment.ts';

let losing = false;
let effects = 0;
const effectsOf = new Map<string, number>();
const resultOf = new Map<string, PaymentResult>();

const server = createServer({ noDelay: true }, (socket) => {
  socket.setEncoding('latin1');
  socket.on(
    'data',
    createFrameReader((frame) => {
      answer(socket, frame);
    }),
  );
  socket.on('error', () => socket.destroy());
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object')
    reply({ type: 'listening', port: address.port });
});

process.on('disconnect', () => process.exit());
process.on('message', (message: EffectsMessage) => {
  switch (message.type) {
    case 'reset':
      losing = message.losing;
      effects = 0;
      effectsOf.clear();
      resultOf.clear();
      reply({ type: 'reset' });
      return;
    case 'count':
      reply({
        type: 'counted',
        effects,
        effectsOf: message.each ? [...effectsOf] : [],
        payments: effectsOf.size,
      });
  }
});

function answer(socket: Socket, { head, body }: Frame): void {
  if (head.startsWith('GET ')) {
    const result = resultOf.get(head.slice('GET /effects/'.length, head.indexOf(' HTTP/')));
    socket.write(
      result ? ok(JSON.stringify(result)) : writeFrame('HTTP/1.1 404 Not Found', [], ''),
    );
    return;
  }
  const { payment_id: id } = JSON.parse(body) as PaymentArguments;
  const result = paymentResult(id, effects);
  const times = (effectsOf.get(id) ?? 0) + 1;
  effects += 1;
  effectsOf.set(id, times);
  if (losing) resultOf.set(header(head, 'idempotency-key') ?? '', result);
  if (losing && times === 1 && isLost(id)) socket.destroy();
  else socket.write(ok(JSON.stringify(result)));
}

function ok(body: string): string {
  return writeFrame('HTTP/1.1 200 OK', ['content-type: application/json'], body);
}

/** The same one in a hundred for every contender. */
function isLost(id: string): boolean {
  return Number.parseInt(hash('sha256', id, 'hex').slice(0, 8), 16) % 100 === 0;
}

function reply(message: EffectsReply): void {
  process.send?.(message);
}
