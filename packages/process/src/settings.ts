// The settings of a service's process: variables of the environment that begin with ACTION_LEDGER_, checked
// before anything is opened. What is wrong with them is told all at once.
import { isLoopback } from '@action-ledger/access';
import { z } from 'zod';
import { SetupFault } from './setup-fault.ts';

const prefix = 'ACTION_LEDGER_';

export type Env = Readonly<Record<string, string | undefined>>;

const port = z.coerce.number().int().min(0).max(65_535);
const count = z.coerce.number().int().min(1);
const yesOrNo = z.enum(['true', 'false']).transform((text) => text === 'true');
const list = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter((part) => part !== ''))
  .refine((parts) => parts.length > 0, 'it names nothing');
/** The client ignores others, and prints the whole string, password and all. */
const storeOptions = new Set([
  'connectionname',
  'defaultdeadline',
  'discoveryinterval',
  'gossiptimeout',
  'keepaliveinterval',
  'keepalivetimeout',
  'maxdiscoverattempts',
  'nodepreference',
  'throwonappendfailure',
  'tls',
  'tlscafile',
  'tlsverifycert',
  'usercertfile',
  'userkeyfile',
]);

function hasKnownOptions(connectionString: string): boolean {
  const [, options = ''] = connectionString.split('?');
  return options
    .split('&')
    .filter((option) => option !== '')
    .every((option) => storeOptions.has((option.split('=')[0] ?? '').toLowerCase()));
}

const webAddress = z.url({ protocol: /^https?$/ });

const shape = {
  eventstoredbUrl: z
    .string()
    .regex(
      /^esdb(\+discover)?:\/\/[^\s@]+(@[^\s@]+)?$/,
      'it is esdb://host:port or esdb+discover://…, with one @ at most',
    )
    .refine(hasKnownOptions, 'it has an option that the client does not know')
    .describe('Connection string of EventStoreDB, as its client takes it.'),
  streamPrefix: z
    .string()
    .regex(/^\w{1,64}\.$/, 'it is letters, digits or _, then one dot')
    .optional()
    .describe('Begins the names of all streams of this ledger. Default `ledger.`'),
  kafkaBrokers: list.describe('`host:port` of some Kafka brokers, with commas between.'),
  kafkaPrefix: z
    .string()
    .regex(/^[\w.-]{0,64}$/, 'it is letters, digits, ., - or _')
    .optional()
    .describe('Begins the names of all topics, groups and publishers. Default: nothing.'),
  kafkaPartitions: count
    .optional()
    .describe('Of topics that are not there yet; never changed later. Default 12.'),
  kafkaCopies: count
    .optional()
    .describe(
      'Of each partition of topics that are not there yet. Default: as the brokers are set.',
    ),
  kafkaTls: yesOrNo.default(false).describe('The brokers are asked over TLS. Default `false`.'),
  kafkaMechanism: z
    .enum(['plain', 'scram-sha-256', 'scram-sha-512'])
    .default('plain')
    .describe('How the user of the brokers is proven. Default `plain`.'),
  kafkaUser: z.string().optional().describe('User of the brokers. Default: none is named.'),
  kafkaPassword: z.string().optional().describe('Password of that user.'),
  kafkaSessionMs: z.coerce
    .number()
    .int()
    .min(6_000)
    .optional()
    .describe(
      'A consumer that is silent for so long has died; brokers take 6,000 or more. Default 15,000.',
    ),
  records: z
    .enum(['avro', 'json'])
    .default('avro')
    .describe('How the projector writes `action.events` and `action.state`. Default `avro`.'),
  schemaRegistryUrl: webAddress
    .optional()
    .describe(
      'A Confluent-compatible registry. Default: the ids of our own, which the gateway serves.',
    ),
  intakeTenants: list
    .optional()
    .describe('The tenants that proposals on the log may name, with commas between. Default: all.'),
  instance: z
    .string()
    .regex(/^[\w.-]{1,100}$/, 'it is letters, digits, ., - or _')
    .optional()
    .describe(
      'Of this process among all: no two have the same. Default: service, host and process id.',
    ),
  tools: list
    .optional()
    .describe('Modules that export tools, and tool files, with commas between. Default: none.'),
  secretKeyFile: z
    .string()
    .optional()
    .describe('File with the key of secret arguments, 64 hex digits, the same for all processes.'),
  probeHost: z
    .string()
    .default('127.0.0.1')
    .describe('Where `/live`, `/ready` and `/metrics` are served. Default 127.0.0.1.'),
  probePort: port.default(9373).describe('On which port; 0: any that is free. Default 9373.'),
  logLevel: z
    .enum(['debug', 'info', 'warn', 'error'])
    .default('info')
    .describe('The least that is logged. Default `info`.'),
  slots: count
    .default(64)
    .describe('Attempts that one executor has under way at once; what is more waits. Default 64.'),
  host: z.string().default('127.0.0.1').describe('Where the gateway listens. Default 127.0.0.1.'),
  port: port.default(7373).describe('On which port; 0: any that is free. Default 7373.'),
  open: yesOrNo
    .default(false)
    .describe('The gateway asks for no keys: for this machine alone. Default `false`.'),
  accessLog: yesOrNo.default(true).describe('One line for each request. Default `true`.'),
  tokenIssuer: z.string().optional().describe('`iss` of the tokens that the gateway takes.'),
  tokenAudience: z.string().optional().describe('`aud` of them.'),
  tokenKeysUrl: webAddress.optional().describe('Where their issuer publishes its keys (JWKS).'),
  notifyUrls: list.optional().describe('Whom the notifier tells, with commas between.'),
  notifySecretFile: z.string().optional().describe('What notifications are signed with.'),
  notifyPrivate: yesOrNo
    .default(false)
    .describe('Private addresses and http: are notified too. Default `false`.'),
} satisfies Record<string, z.ZodType>;

const form = z.strictObject(shape);

export type Settings = z.output<typeof form>;

export interface Setting {
  /** Of the variable. */
  readonly name: string;
  readonly what: string;
  readonly isRequired: boolean;
}

/** All of them, in the order in which the documentation has them. */
export const settingsKnown: readonly Setting[] = Object.entries(shape).map(([key, schema]) => ({
  name: variableOf(key),
  what: schema.description ?? '',
  isRequired: !schema.safeParse(undefined).success,
}));

/** Read by other programs of the ledger. */
const others = new Set(['PATH', 'URL', 'API_KEY'].map((name) => `${prefix}${name}`));

/** Variables that look like settings and are none: a name that was mistyped would say nothing. */
export function unknownSettings(env: Env): readonly string[] {
  const known = new Set(settingsKnown.map(({ name }) => name));
  return Object.keys(env).filter(
    (name) => name.startsWith(prefix) && !known.has(name) && !others.has(name),
  );
}

/** @throws SetupFault `settings.invalid`, with a line for each that is wrong */
export function readSettings(env: Env): Settings {
  const read = form.safeParse(givenIn(env, Object.keys(shape)));
  const wrong = read.success ? together(read.data) : read.error.issues.map(lineOf);
  if (read.success && wrong.length === 0) return read.data;
  throw invalid(wrong);
}

const storeForm = form.pick({ eventstoredbUrl: true, streamPrefix: true });

/** Of whoever asks the store alone. @throws SetupFault `settings.invalid` */
export function readStoreSettings(env: Env): z.output<typeof storeForm> {
  const read = storeForm.safeParse(givenIn(env, Object.keys(storeForm.shape)));
  if (read.success) return read.data;
  throw invalid(read.error.issues.map(lineOf));
}

function givenIn(env: Env, keys: readonly string[]): Readonly<Record<string, string>> {
  const given = keys.flatMap((key) => {
    const text = env[variableOf(key)];
    return text === undefined || text === '' ? [] : [[key, text] as const];
  });
  return Object.fromEntries(given);
}

function invalid(lines: readonly string[]): SetupFault {
  return new SetupFault('settings.invalid', lines.join('\n'), {
    fix: 'docs/distributed.md lists every setting; `action-ledger doctor --services` checks them.',
  });
}

function variableOf(key: string): string {
  return prefix + key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

function lineOf({ path, code, message }: z.core.$ZodIssue): string {
  const name = variableOf(String(path[0]));
  const isMissing = code === 'invalid_type' && message.includes('undefined');
  return `${name}: ${isMissing ? 'it is missing' : message}`;
}

/** Those that stand or fall with one another. */
function together(settings: Settings): readonly string[] {
  const { kafkaUser, kafkaPassword, tokenIssuer, tokenAudience, tokenKeysUrl } = settings;
  const lines: string[] = [];
  if (settings.open && !isLoopback(settings.host))
    lines.push(`${prefix}OPEN lets everyone in, and ${prefix}HOST can be reached from elsewhere`);
  if ((kafkaUser === undefined) !== (kafkaPassword === undefined))
    lines.push(`${prefix}KAFKA_USER and ${prefix}KAFKA_PASSWORD go together`);
  const tokens = [tokenIssuer, tokenAudience, tokenKeysUrl];
  if (tokens.some(isMissing) && !tokens.every(isMissing))
    lines.push(`${prefix}TOKEN_ISSUER, _TOKEN_AUDIENCE and _TOKEN_KEYS_URL go together`);
  if ((settings.notifyUrls === undefined) !== (settings.notifySecretFile === undefined))
    lines.push(`${prefix}NOTIFY_URLS and ${prefix}NOTIFY_SECRET_FILE go together`);
  return lines;
}

function isMissing(value: unknown): boolean {
  return value === undefined;
}
