// A Confluent-compatible registry of schemas, for those who write records (the ids of their schemas) and those who
// read them (the schemas of their ids). While it cannot be asked, they wait: an id is never guessed.
import { canonicalJson, type JsonValue } from '@action-ledger/domain';
import { pauseAfter } from '@action-ledger/event-log';
import { type Runtime } from '@action-ledger/runtime';
import { type SchemaSource } from '../decoders.ts';
import { type RecordKind, type SchemaIds, subjectOf } from '../newest.ts';
import { releasedSchemas, type ReleasedSchema } from '@action-ledger/schemas';
import { schemaIdMax } from '../wire.ts';
import { askRegistry, type Line } from './ask-registry.ts';
import { RegistryFault } from './registry-fault.ts';

export interface SchemaRegistryOptions {
  /** Such as `https://user:password@registry.example`; a path is kept. */
  readonly url: string;
  readonly runtime: Pick<Runtime, 'timers'>;
  /** In place of those in the URL. */
  readonly basic?: { readonly user: string; readonly password: string };
  /** Of every request, such as the key of a gateway that is asked. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What begins the names of the topics, and so of the subjects. */
  readonly prefix?: string;
  /** Registers what it has not. Default true; false where schemas are registered by others. */
  readonly registers?: boolean;
  /** How long one request waits for its answer. Default 5,000. */
  readonly requestMs?: number;
  /** It could not be asked, and will be again. */
  readonly onFault?: (fault: RegistryFault, againInMs: number) => void;
  /** In place of Node's own. */
  readonly fetch?: typeof fetch;
}

export interface SchemaRegistry extends SchemaSource {
  /**
   * Of the newest schema of each subject. What is missing is registered, older versions first. Waits for a
   * registry that cannot be asked.
   * @param stop ends the waiting: the last fault is thrown
   * @throws RegistryFault `registry.refused`, `registry.incompatible`
   */
  readonly ids: (stop?: AbortSignal) => Promise<SchemaIds>;
}

export function createSchemaRegistry(options: SchemaRegistryOptions): SchemaRegistry {
  const line = lineTo(options);
  const { prefix = '', registers = true } = options;
  const schemas = createCache();
  const idOf = async (released: ReleasedSchema): Promise<number> => {
    const subject = `${prefix}${released.subject}`;
    const found = await findId(line, subject, released.schema);
    if (found !== undefined) return found;
    if (registers) return registerSchema(line, subject, released.schema);
    throw new RegistryFault(
      'registry.refused',
      `The registry at ${line.url.host} has no version of ${subject} that is schema ${released.version} of ours.`,
    );
  };
  return {
    schemaOf: (id) => schemas.get(id, () => schemaIn(line, id)),
    ids: (stop) => waiting(options, stop, () => idsBy(idOf)),
  };
}

async function idsBy(idOf: (schema: ReleasedSchema) => Promise<number>): Promise<SchemaIds> {
  const ids = new Map<string, number>();
  const inOrder = [...releasedSchemas].sort((one, other) => one.version - other.version);
  for (const schema of inOrder) ids.set(schema.subject, await idOf(schema));
  const newest = (kind: RecordKind): number => ids.get(subjectOf[kind]) ?? 0;
  return { event: newest('event'), state: newest('state'), proposal: newest('proposal') };
}

function lineTo(options: SchemaRegistryOptions): Line {
  const { runtime, requestMs = 5_000 } = options;
  const url = new URL(options.url);
  const { user, password } = options.basic ?? {
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  };
  url.username = '';
  url.password = '';
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  const basic = Buffer.from(`${user}:${password}`).toString('base64');
  return {
    url,
    headers: {
      ...(user === '' && password === '' ? {} : { authorization: `Basic ${basic}` }),
      ...options.headers,
    },
    timers: runtime.timers,
    withinMs: requestMs,
    fetch: options.fetch ?? fetch,
  };
}

/** More than a ledger writes or meets by far. */
const cachedMax = 1_000;

/** An id has one schema for good. That one has none is not kept: it may be registered later. */
function createCache() {
  const kept = new Map<number, Promise<string | undefined>>();
  return {
    get: (id: number, ask: () => Promise<string | undefined>): Promise<string | undefined> => {
      const known = kept.get(id);
      if (known !== undefined) return known;
      const asked = ask();
      const forget = (): void => void kept.delete(id);
      asked.then((schema) => {
        if (schema === undefined) forget();
      }, forget);
      const [oldest] = kept.keys();
      if (kept.size >= cachedMax && oldest !== undefined) kept.delete(oldest);
      kept.set(id, asked);
      return asked;
    },
  };
}

/** Registries say it in their own ways. */
const notAnId: ReadonlySet<number> = new Set([400, 404, 422]);

/** A record is not to blame for a registry that does not let us in: like an outage, it is waited for. */
async function schemaIn(line: Line, id: number): Promise<string | undefined> {
  const path = ['schemas', 'ids', id];
  const heard = await askRegistry(line, { path, noneBy: notAnId }).catch((fault: unknown) => {
    if (!(fault instanceof RegistryFault) || fault.retry === 'safe') throw fault;
    throw new RegistryFault('registry.unavailable', fault.message, { cause: fault });
  });
  return heard.kind === 'none' ? undefined : textIn(line, heard.body, 'schema');
}

/** By comparing: looking up by the schema is a POST, which a registry that only shows has not. */
async function findId(line: Line, subject: string, schema: string): Promise<number | undefined> {
  const heard = await askRegistry(line, { path: ['subjects', subject, 'versions'] });
  if (heard.kind === 'none') return undefined;
  const wanted = canonical(schema);
  if (!Array.isArray(heard.body)) throw notOfRegistry(line);
  for (const version of heard.body as readonly number[]) {
    const told = await askRegistry(line, { path: ['subjects', subject, 'versions', version] });
    if (told.kind === 'none') continue;
    if (canonical(textIn(line, told.body, 'schema')) === wanted) return idIn(line, told.body);
  }
  return undefined;
}

async function registerSchema(line: Line, subject: string, schema: string): Promise<number> {
  const path = ['subjects', subject, 'versions'];
  const heard = await askRegistry(line, { path, body: { schema } });
  if (heard.kind === 'answer') return idIn(line, heard.body);
  throw new RegistryFault('registry.refused', `The registry at ${line.url.host} takes no schemas.`);
}

/** The text itself where it is no JSON: of another kind of schema. */
function canonical(schema: string): string {
  try {
    return canonicalJson(JSON.parse(schema) as JsonValue);
  } catch {
    return schema;
  }
}

function textIn(line: Line, body: unknown, member: string): string {
  const value = (body as Readonly<Record<string, unknown>>)[member];
  if (typeof value === 'string') return value;
  throw notOfRegistry(line);
}

function idIn(line: Line, body: unknown): number {
  const { id } = body as { readonly id?: unknown };
  if (typeof id === 'number' && Number.isInteger(id) && id >= 0 && id <= schemaIdMax) return id;
  throw notOfRegistry(line);
}

function notOfRegistry({ url }: Line): RegistryFault {
  return new RegistryFault(
    'registry.unavailable',
    `What is at ${url.host} does not answer as a registry.`,
  );
}

async function waiting<Result>(
  { runtime, onFault }: SchemaRegistryOptions,
  stop: AbortSignal | undefined,
  act: () => Promise<Result>,
): Promise<Result> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await act();
    } catch (fault) {
      const isOutage = fault instanceof RegistryFault && fault.retry === 'safe';
      if (!isOutage || stop?.aborted === true) throw fault;
      const againInMs = pauseAfter(failures, { pauseMinMs: 250, pauseMaxMs: 10_000 });
      onFault?.(fault, againInMs);
      await pause(runtime, againInMs, stop);
    }
  }
}

/** At the start of a program nothing else may keep it alive. */
function pause(
  { timers }: Pick<Runtime, 'timers'>,
  ms: number,
  stop: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel();
      stop?.removeEventListener('abort', end);
      resolve();
    };
    const timer = timers.after(ms, end, { keepsAlive: true });
    stop?.addEventListener('abort', end);
  });
}
