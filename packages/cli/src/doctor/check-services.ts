// What the services of the distributed size need, as the environment names it: settings, tools, EventStoreDB
// and Kafka. The topics that are missing are made, as every service makes them.
import {
  checkSecretKey,
  loadTools,
  openLog,
  openStore,
  readSettings,
  type Settings,
  SetupFault,
  unknownSettings,
} from '@action-ledger/process';
import { count } from '../format/count.ts';
import { type Io } from '../io.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

export async function checkServices({ env, runtime }: Io): Promise<readonly Finding[]> {
  const unknown = unknownSettings(env).map((name) =>
    warn('settings', `there is no setting ${name}`, 'docs/distributed.md lists every setting.'),
  );
  const settings = readOrFail(env);
  if ('check' in settings) return [...unknown, settings];
  return [
    ...unknown,
    ok('settings', 'what is set fits together'),
    await checkTools(settings, env),
    await checkPort('EventStoreDB', settings.eventstoredbUrl, () => openStore(settings, runtime)),
    await checkPort('Kafka', settings.kafkaBrokers.join(', '), () => openLog(settings, runtime)),
  ];
}

function readOrFail(env: Io['env']): Settings | Finding {
  try {
    return readSettings(env);
  } catch (error) {
    return faulty('settings', error);
  }
}

async function checkTools({ tools, secretKeyFile }: Settings, env: Io['env']): Promise<Finding> {
  if (tools === undefined)
    return warn(
      'tools',
      'no tools are named: services carry out nothing but what callers bring',
      'set ACTION_LEDGER_TOOLS to the same modules and tool files for all of them.',
    );
  try {
    const { all } = await loadTools(tools, env);
    checkSecretKey(all, secretKeyFile);
    return ok('tools', `${count(all.length, 'tool')} in ${tools.join(', ')}`);
  } catch (error) {
    return faulty('tools', error);
  }
}

async function checkPort(
  check: string,
  address: string,
  open: () => Promise<{ close(): Promise<void> }>,
): Promise<Finding> {
  try {
    const port = await open();
    await port.close();
    return ok(check, `answers at ${withoutSecrets(address)}`);
  } catch (error) {
    if (error instanceof SetupFault) return faulty(check, error);
    return fail(
      check,
      withoutSecrets(`${address}: ${error instanceof Error ? error.message : String(error)}`),
      'is it up, and is this its address? docs/distributed.md says how it is named.',
    );
  }
}

function withoutSecrets(address: string): string {
  return address.replaceAll(/\/\/[^/@\s]*@/g, '//');
}

function faulty(check: string, error: unknown): Finding {
  if (error instanceof SetupFault)
    return fail(check, error.message.replaceAll('\n', '; '), error.fix);
  throw error;
}
