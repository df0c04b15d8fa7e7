// `action-ledger keys …`, `pause`, `resume`: what belongs to the whole file.
import { createKeyRing, type Role } from '@action-ledger/access';
import { createPauses, type RecordStreamDeps } from '@action-ledger/application';
import { type Cli } from '../cli.ts';
import { count } from '../format/count.ts';
import { printable } from '../format/printable.ts';
import { renderTable } from '../format/table.ts';
import { dateTime } from '../format/time.ts';
import { urlNamed } from '../ledger-file/url-option.ts';
import { readLedger } from '../ledger-file/read-ledger.ts';
import { sha256 } from '../sha256.ts';
import { type DeskAsk, type Door, nameOf, openDoor } from './door.ts';
import { type DoorOptions } from './door-options.ts';

interface Key {
  readonly id: string;
  readonly tenant: string;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly revoked?: { readonly at: number; readonly by: string; readonly reason: string };
}

export interface CreateKeyOptions extends DoorOptions {
  readonly tenant: string;
  readonly name: string;
  readonly role: readonly Role[];
  readonly days?: number;
  /** In the store of the distributed size, which the environment names. */
  readonly store?: boolean;
}

const dayMs = 24 * 3_600_000;

export async function createKey(cli: Cli, options: CreateKeyOptions): Promise<void> {
  const { tenant, name, role, days } = options;
  const expiry = days === undefined ? {} : { expiresAt: expiresAt(cli, days) };
  const body = { name, tenant, roles: [...role], ...expiry };
  if (options.store === true) {
    const { createKeyInStore } = await import('./store-key.ts');
    const made = await createKeyInStore(cli.io, { ...body, by: nameOf(cli.io, options) });
    if (options.json === true) cli.json(made);
    else cli.io.out(keyText(made));
    return;
  }
  await say(cli, options, { method: 'POST', path: '/v1/keys', body }, keyText);
}

function keyText({ text, key }: Pick<Said, 'text' | 'key'>): string {
  return [
    `${text}\n`,
    `Key ${key.id} of ${printable(key.name)}, tenant ${printable(key.tenant)}: ${key.roles.join(', ')}${until(key)}.`,
    'It is shown this once; only its hash is kept.',
    '',
  ].join('\n');
}

export async function revokeKey(
  cli: Cli,
  id: string,
  options: DoorOptions & { readonly reason: string },
): Promise<void> {
  const path = `/v1/keys/${encodeURIComponent(id)}/revoke`;
  const asked = { method: 'POST', path, body: { reason: options.reason } } as const;
  await say(
    cli,
    options,
    asked,
    ({ key }) => `Key ${key.id} of ${printable(key.name)} lets nobody in any more.\n`,
  );
}

export async function listKeys(cli: Cli, options: DoorOptions): Promise<void> {
  await look(cli, options, listedKeys, ({ keys }) => {
    if (keys.length === 0) return 'There is no key. `action-ledger keys create` makes one.\n';
    const rows = keys.map((key) => [
      key.id,
      printable(key.tenant),
      printable(key.name),
      key.roles.join(', '),
      dateTime(key.createdAt),
      stateOf(key),
    ]);
    const { columns } = cli.io;
    return `${renderTable(keyColumns, rows, { style: cli.style, columns })}${count(keys.length, 'key')}.\n`;
  });
}

export interface PauseOptions extends DoorOptions {
  readonly tenant?: string;
  readonly tool?: string;
  readonly reason: string;
}

export async function pause(cli: Cli, options: PauseOptions): Promise<void> {
  const body = { ...scopeOf(options), reason: options.reason };
  await say(
    cli,
    options,
    { method: 'POST', path: '/v1/pauses', body },
    ({ pause: told }) =>
      `Paused: ${scopeText(told)}. Nothing new of it is recorded or sent until it is resumed.\n`,
  );
}

export interface ResumeOptions extends PauseOptions {
  readonly revision?: number;
}

export async function resume(cli: Cli, options: ResumeOptions): Promise<void> {
  const { tenant, tool, reason, revision } = options;
  const door = await openDoor(cli.io, options);
  try {
    const { pauses } = (await door.ask(ofAll('/v1/pauses')(door), usualTenant)) as Said;
    const seen = pauses.find((each) => each.tenant === tenant && each.tool === tool);
    const revisionSeen = revision ?? seen?.revision ?? -1;
    const body = { ...scopeOf(options), reason, revisionSeen };
    const asked = { method: 'POST', path: '/v1/pauses/resume', body } as const;
    const said = (await door.ask(asked, usualTenant)) as Said;
    if (options.json === true) cli.json(said);
    else cli.io.out(`Resumed: ${scopeText(said.pause)}.\n`);
  } finally {
    await door.close();
  }
}

function scopeOf({ tenant, tool }: PauseOptions): object {
  return {
    ...(tenant === undefined ? { everyTenant: true } : { tenant }),
    ...(tool === undefined ? {} : { tool }),
  };
}

/** On the machine of the ledger of every tenant; elsewhere of the key's own. */
function ofAll(path: string): (door: Door) => DeskAsk {
  return (door) => ({
    method: 'GET',
    path: door.path === undefined ? path : `${path}?everyTenant=true`,
  });
}

const usualTenant = 'default';

interface Pause {
  readonly tenant?: string;
  readonly tool?: string;
  readonly reason: string;
  readonly by: string;
  readonly at: number;
  readonly revision: number;
}

export async function listPauses(cli: Cli, options: DoorOptions): Promise<void> {
  await look(cli, options, listedPauses, ({ pauses }) => {
    if (pauses.length === 0) return 'Nothing is paused.\n';
    const rows = pauses.map((each) => [
      scopeText(each),
      dateTime(each.at),
      printable(each.by),
      printable(each.reason),
    ]);
    return renderTable(pauseColumns, rows, { style: cli.style, columns: cli.io.columns });
  });
}

const keyColumns = [
  { title: 'KEY' },
  { title: 'TENANT', widthMin: 7 },
  { title: 'NAME', widthMin: 8 },
  { title: 'ROLES', widthMin: 8, wraps: true },
  { title: 'MADE (UTC)' },
  { title: 'STATE', widthMin: 8, wraps: true },
] as const;

const pauseColumns = [
  { title: 'PAUSED', widthMin: 10, wraps: true },
  { title: 'SINCE (UTC)' },
  { title: 'BY', widthMin: 6 },
  { title: 'REASON', widthMin: 12, wraps: true },
] as const;

export function scopeText({ tenant, tool }: Pick<Pause, 'tenant' | 'tool'>): string {
  const of = tenant === undefined ? '' : ` for tenant ${printable(tenant)}`;
  if (tool !== undefined) return `${printable(tool)}${of}`;
  return tenant === undefined ? 'everything' : `tenant ${printable(tenant)}`;
}

function stateOf(key: Key): string {
  if (key.revoked !== undefined)
    return `revoked ${dateTime(key.revoked.at)} by ${printable(key.revoked.by)}: ${printable(key.revoked.reason)}`;
  return `good${until(key)}`;
}

function until({ expiresAt: end }: Key): string {
  return end === undefined ? '' : `, until ${dateTime(end)} UTC`;
}

function expiresAt({ io }: Cli, days: number): number {
  return Math.round(io.runtime.clock.wallMs() + days * dayMs);
}

/** What the desk answers: a test asks for each, so that the forms stay the same. */
interface Said {
  readonly text: string;
  readonly key: Key;
  readonly keys: readonly Key[];
  readonly pause: Pause;
  readonly pauses: readonly Pause[];
}

interface Listed {
  readonly path: string;
  /** The same from the file. */
  readonly read: (deps: FileDeps) => Promise<object>;
}

interface FileDeps extends RecordStreamDeps {
  readonly runtime: Cli['io']['runtime'];
}

const listedKeys: Listed = {
  path: '/v1/keys',
  read: async (deps) => {
    const keys = await createKeyRing(deps).list();
    return { keys: keys.map(({ hash: _hash, ...shown }) => shown) };
  },
};

const listedPauses: Listed = {
  path: '/v1/pauses',
  read: async (deps) => {
    const pauses = createPauses(deps, () => undefined);
    await pauses.refresh();
    return { pauses: pauses.list() };
  },
};

/** Of a file from the file itself, beside whoever has it. */
async function look(
  cli: Cli,
  options: DoorOptions,
  { path, read }: Listed,
  render: (body: Said) => string,
): Promise<void> {
  const { runtime } = cli.io;
  if (urlNamed(cli.io, options) !== undefined) {
    await say(cli, options, { method: 'GET', path }, render);
    return;
  }
  await readLedger(cli.io, options, async (store) => {
    const clock = { nowMs: () => runtime.clock.wallMs() };
    const body = (await read({ store, sha256, clock, runtime })) as Said;
    if (options.json === true) cli.json(body);
    else cli.io.out(render(body));
  });
}

async function say(
  cli: Cli,
  options: DoorOptions,
  request: DeskAsk,
  render: (body: Said) => string,
): Promise<void> {
  const door = await openDoor(cli.io, options);
  try {
    const body = (await door.ask(request, usualTenant)) as Said;
    if (options.json === true) cli.json(body);
    else cli.io.out(render(body));
  } finally {
    await door.close();
  }
}
