// Settings as they come from an environment: what is wrong is told by the name of its variable, all at once.
import { describe, expect, it } from '@jest/globals';
import { readSettings, settingsKnown, unknownSettings } from './settings.ts';
import { SetupFault } from './setup-fault.ts';

const servers = {
  ACTION_LEDGER_EVENTSTOREDB_URL: 'esdb://db:2113?tls=false',
  ACTION_LEDGER_KAFKA_BROKERS: 'one:9092, two:9092',
};

function faultOf(env: Readonly<Record<string, string>>): SetupFault {
  try {
    readSettings(env);
  } catch (error) {
    if (error instanceof SetupFault) return error;
  }
  throw new Error('The settings were taken.');
}

describe('the settings of a process', () => {
  it('are two addresses, and defaults for the rest', () => {
    expect(readSettings({ ...servers, ACTION_LEDGER_TOOLS: '' })).toMatchObject({
      eventstoredbUrl: 'esdb://db:2113?tls=false',
      kafkaBrokers: ['one:9092', 'two:9092'],
      records: 'avro',
      port: 7373,
      probePort: 9373,
      open: false,
    });
    const needed = settingsKnown.filter(({ isRequired }) => isRequired).map(({ name }) => name);
    expect(needed).toEqual(Object.keys(servers));
  });

  it('are refused with a line for each that is wrong', () => {
    const fault = faultOf({
      ACTION_LEDGER_EVENTSTOREDB_URL: 'http://db:2113',
      ACTION_LEDGER_PORT: '70000',
      ACTION_LEDGER_OPEN: 'yes',
      ACTION_LEDGER_INSTANCE: 'not one word',
    });
    expect(fault.code).toBe('settings.invalid');
    expect(fault.message.split('\n').map((line) => line.split(':')[0])).toEqual([
      'ACTION_LEDGER_EVENTSTOREDB_URL',
      'ACTION_LEDGER_KAFKA_BROKERS',
      'ACTION_LEDGER_INSTANCE',
      'ACTION_LEDGER_PORT',
      'ACTION_LEDGER_OPEN',
    ]);
    expect(fault.message).toContain('ACTION_LEDGER_KAFKA_BROKERS: it is missing');
  });

  it.each([
    [{ ACTION_LEDGER_KAFKA_USER: 'u' }, 'KAFKA_PASSWORD'],
    [{ ACTION_LEDGER_OPEN: 'true', ACTION_LEDGER_HOST: '0.0.0.0' }, 'ACTION_LEDGER_HOST'],
    [{ ACTION_LEDGER_TOKEN_ISSUER: 'i' }, '_TOKEN_AUDIENCE'],
    [{ ACTION_LEDGER_NOTIFY_URLS: 'https://ops' }, 'NOTIFY_SECRET_FILE'],
  ])('are refused where they do not go together: %j', (half, other) => {
    expect(faultOf({ ...servers, ...half }).message).toContain(other);
  });

  it.each([
    'esdb://u:s3cret@db:2113?tlsVerify=false',
    'esdb://u:s3@cret@db:2113',
    'kurrentdb://db:2113',
  ])('are refused without a word of what is secret in them: %s', (url) => {
    const { message } = faultOf({ ...servers, ACTION_LEDGER_EVENTSTOREDB_URL: url });
    expect(message).toMatch(/^ACTION_LEDGER_EVENTSTOREDB_URL: it [^\n]*$/);
    expect(message).not.toContain('cret');
  });

  it('tell of names that are none', () => {
    const env = { ...servers, ACTION_LEDGER_BROKERS: 'x', ACTION_LEDGER_PATH: 'x', OTHER: 'x' };
    expect(unknownSettings(env)).toEqual(['ACTION_LEDGER_BROKERS']);
  });
});
