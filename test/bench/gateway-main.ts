// The whole service in a process of its own, with all features on: file, views, access by API keys, rate
// limits, event hub, metrics, access log, the door of the machine. Its one tool calls the endpoint as the other contenders do.
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openStandalone } from '@action-ledger/standalone';
import { mainFile } from './contender.ts';
import { payTool } from './contenders/ledger.ts';
import { createEffectsClient } from './effects-client.ts';
import { type GatewayMessage, type GatewayReply, type GatewaySetting } from './messages.ts';

const setting = JSON.parse(process.argv[2] ?? '') as GatewaySetting;
const effects = createEffectsClient(setting.client, setting.port);
const tell = (facts: object, message: string): void => {
  console.error(message, facts);
};
/** The line is made and written as `action-ledger start` does (Node writes stderr at once), to where nobody reads it. */
const accessLog = openSync('/dev/null', 'w');
const standalone = await openStandalone({
  path: join(setting.dir, mainFile),
  tools: [payTool(effects)],
  logger: {
    info: (facts, message) => {
      writeSync(accessLog, `${JSON.stringify({ at: new Date(), ...facts, message })}\n`);
    },
    warn: tell,
    error: tell,
  },
  metrics: { port: 0 },
  accessLog: true,
});
const keys: string[] = [];
for (let n = 0; n < setting.keys; n += 1) {
  const wanted = { tenant: 'bench', roles: ['proposer'], by: 'bench' } as const;
  const made = await standalone.keys.create({ ...wanted, name: `caller-${n}` });
  if (made.kind !== 'created') throw new Error(made.message);
  keys.push(made.text);
}

process.on('disconnect', () => process.exit());
process.on('message', (message: GatewayMessage) => {
  if (message.type === 'cpu') {
    const { user, system } = process.cpuUsage();
    reply({ type: 'cpu used', ms: (user + system) / 1000 });
    return;
  }
  void standalone.stop().then(() => {
    effects.close();
    reply({ type: 'closed' });
    setImmediate(() => {
      process.disconnect();
    });
  });
});
reply({ type: 'serving', port: Number(new URL(standalone.url).port), keys });

function reply(message: GatewayReply): void {
  process.send?.(message);
}
