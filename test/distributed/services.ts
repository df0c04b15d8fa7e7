// Every service of the distributed size, each in a process of its own, as `npm run distributed` leaves them up and
// as a soak kills them; what runs where is a screen for people.
import { type ChildProcess, spawn } from 'node:child_process';
import { type Env, type Fleet } from '@action-ledger/cli/play';

/** The gateway first. All but the notifier, which needs somebody to tell. */
export const services = [
  'gateway',
  'intake',
  'projector',
  'projector',
  'executor',
  'executor',
  'reconciler',
  'compensator',
  'auditor',
];

const program = 'packages/cli/bin/action-ledger.js';

/** @param output where they say what they say: a file that is open, or this process's own */
export function startProcess(output: number | 'inherit') {
  return (args: readonly string[], env: Env): ChildProcess =>
    spawn(process.execPath, [program, ...args], {
      env: { ...process.env, ...env },
      // A terminal's Ctrl-C is for whoever started them: told twice, they would end at once.
      detached: true,
      stdio: ['ignore', output, output, 'ipc'],
    });
}

export function screenOf({ members, url }: Fleet, env: Env): string {
  const rows = members.map(({ service, pid, urls }) =>
    [service.padEnd(13), String(pid).padEnd(9), Object.values(urls).join('  ')].join(''),
  );
  return [
    'The distributed size runs on this machine, each part in a process of its own.',
    '',
    `EventStoreDB (protocol double)  ${env['ACTION_LEDGER_EVENTSTOREDB_URL'] ?? ''}`,
    `Kafka                           ${env['ACTION_LEDGER_KAFKA_BROKERS'] ?? ''}, topics of ${env['ACTION_LEDGER_KAFKA_PARTITIONS'] ?? ''} partitions`,
    '',
    'service      process  addresses',
    ...rows,
    '',
    `  curl ${url}/v1/tools`,
    `  curl ${url}/v1/actions -H 'Content-Type: application/json' \\`,
    `    -d '{"tool": "refund_order", "arguments": {"order_id": "o-17", "amount_cents": 2500}, "run": "run-1", "call": "call-1"}'`,
    'Ctrl-C stops it.',
  ].join('\n');
}
