// Callers of the HTTP API: each call is one request to a service in a process of its own, over a
// keep-alive connection, under one of several API keys, because each has a rate.
import { type AnswerWord } from '@action-ledger/client';
import { startChild } from '../child.ts';
import { type Contender, type ContenderContext, type Told } from '../contender.ts';
import { createLeanExchange } from '../effects-client.ts';
import { type GatewayMessage, type GatewayReply, type GatewaySetting } from '../messages.ts';
import { type PaymentArguments } from '../payment.ts';
import { toldBy } from './ledger.ts';

/** At 60,000 requests a minute for each. */
const keysWanted = 16;

export async function openGateway({ dir, client, port }: ContenderContext): Promise<Contender> {
  const setting: GatewaySetting = { dir, client, port, keys: keysWanted };
  const child = startChild<GatewayMessage, GatewayReply>('gateway-main.ts', [
    JSON.stringify(setting),
  ]);
  const serving = await child.ask(undefined, 'serving');
  const exchange = createLeanExchange(serving.port);
  const headersOf = serving.keys.map((key) => [
    'host: 127.0.0.1',
    'content-type: application/json',
    `x-api-key: ${key}`,
  ]);
  const perform = async (n: number, payment: PaymentArguments): Promise<Told> => {
    const headers = headersOf[n % headersOf.length] ?? [];
    const { head, body } = await exchange.call('POST', '/v1/actions', headers, bodyOf(n, payment));
    const { word } = JSON.parse(body) as { readonly word?: AnswerWord };
    if (word === undefined) throw new Error(`${head}\n${body}`);
    return toldBy(word);
  };
  return {
    perform,
    cpuMs: async () => (await child.ask({ type: 'cpu' }, 'cpu used')).ms,
    close: async () => {
      exchange.close();
      await child.ask({ type: 'close' }, 'closed');
      await child.ended();
    },
  };
}

function bodyOf(n: number, payment: PaymentArguments): string {
  const call = { run: 'bench', turn: '1', call: `call_${n}` };
  return JSON.stringify({ tool: 'pay', arguments: payment, ...call });
}
