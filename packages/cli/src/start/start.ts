// `action-ledger start`: a ledger that answers until it is stopped. Its first screen says what runs,
// where, and what waits for people; later it tells them what comes up.
import { type KeyRing } from '@action-ledger/access';
import { type Ledger } from '@action-ledger/client';
import { type Standalone } from '@action-ledger/standalone';
import { type ToolSet } from '@action-ledger/tools';
import { type Cli } from '../cli.ts';
import { scopeText } from '../desk/keys.ts';
import { count } from '../format/count.ts';
import { printable } from '../format/printable.ts';
import { bySuffix, ledgerPath, type PathOption, pathSuffix } from '../ledger-file/ledger-path.ts';
import { serve, type ServeOptions, stopSignal } from './serve.ts';
import { type Tracing } from './tracing.ts';
import { type Serving, type ToolsOptions, toolsToServe } from './tools-to-serve.ts';

export type StartOptions = PathOption &
  ToolsOptions &
  Omit<ServeOptions, 'runtime' | 'pausesOnBurst'> & {
    /** Of an OpenTelemetry collector. */
    readonly otlp?: string;
  };

/** Ends with a signal. @throws CliError, StoreFault */
export async function start(cli: Cli, options: StartOptions): Promise<void> {
  const serving = await toolsToServe(options, cli.io);
  const { tools, runtime, provider } = serving;
  const path = ledgerPath(cli.io, options);
  // In a sandbox doubt is made on purpose.
  const how = { ...options, runtime, pausesOnBurst: provider === undefined };
  const collector = options.otlp ?? cli.io.env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '';
  const tracing = collector === '' ? undefined : await tracingTo(collector);
  const standalone = await serve(cli, path, tools, how);
  const screen = await firstScreen(cli, path, serving, standalone, options);
  const stopped = stopSignal();
  standalone.announce(screen);
  await stopped;
  cli.io.out('Stopping: what is under way is finished first.\n');
  await standalone.stop();
  await tracing?.stop();
  serving.close();
}

/** Loaded where it is asked for. */
async function tracingTo(collector: string): Promise<Tracing> {
  const { openTracing } = await import('./tracing.ts');
  return openTracing(collector);
}

async function firstScreen(
  { io, style }: Cli,
  path: string,
  { tools, provider }: Serving,
  { url, ledger, keys, notifying, metering }: Standalone,
  options: StartOptions,
): Promise<string> {
  const { open } = options;
  const rows: readonly (readonly [what: string, is: string])[] = [
    ['file', `${path}, ${count(await ledger.store.head(), 'event')}`],
    ['API', `${url}/v1`],
    ['docs', `${url}/docs`],
    ['access', open === true ? 'open: everyone on this machine' : await keysText(keys, io, path)],
    ['tools', toolsText(tools)],
    ...observedRows(options),
    ...(provider === undefined ? [] : [sandboxRow(provider)]),
    ['waiting', waitingText(ledger)],
    ['paused', ledger.pauses().map(scopeText).join(', ') || 'nothing'],
    ...(metering === undefined ? [] : [['metrics', metering.url()] as const]),
    ...(notifying === undefined ? [] : [['notifies', notifying.names.join(', ')] as const]),
  ];
  const lines = rows.map(([what, is]) => `  ${style.dim(what.padEnd(8))} ${is}\n`);
  const condition = ledger.store.condition();
  const alarm =
    condition.kind === 'ready'
      ? ''
      : `\n${style.bad(`Recovering: ${condition.reason} Nothing new is taken or sent.`)}\n`;
  return `${style.bold(`Action ledger ${io.version}`)}\n\n${lines.join('')}${alarm}\nCtrl-C stops it.\n`;
}

function observedRows({
  observe,
  observeTenants: tenants = [],
}: StartOptions): readonly (readonly [what: string, is: string])[] {
  if (observe === undefined && tenants.length === 0) return [];
  const named = [
    ...(observe === true ? ['every call'] : (observe ?? [])),
    ...tenants.map(ofTenant),
  ];
  return [['observed', `${printable(named.join(', '))}: goes out whatever is on record`]];
}

function ofTenant(tenant: string): string {
  return `tenant ${tenant}`;
}

function sandboxRow(provider: string): readonly [what: string, is: string] {
  return ['sandbox', `they call ${provider}, where a play answers: action-ledger play --url`];
}

async function keysText(keys: KeyRing, io: Cli['io'], path: string): Promise<string> {
  const now = io.runtime.clock.wallMs();
  const good = (await keys.list()).filter(
    ({ revoked, expiresAt = Infinity }) => revoked === undefined && now < expiresAt,
  );
  return good.length === 0
    ? `by API key, and there is none: action-ledger keys create --name ME --role proposer${bySuffix(io)}${pathSuffix(io, path)}`
    : `by API key: ${good.length} good`;
}

const toolsShown = 8;

function toolsText({ all }: ToolSet): string {
  const shown = all
    .slice(0, toolsShown)
    .map(({ name, kind, rules }) => `${name} (${kind === 'read' ? 'read' : rules.guarantee})`);
  const more = all.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

const rowsMax = 1_000;

function waitingText(ledger: Ledger): string {
  const counted = (status: 'awaiting_approval' | 'unknown'): number =>
    ledger.list({ status, limit: rowsMax }).length;
  const owned = ledger.list({ status: 'unknown', limit: rowsMax });
  const people = owned.filter(({ owner }) => owner === 'operator').length;
  const waits = [
    count(counted('awaiting_approval'), 'approval'),
    `${count(owned.length, 'unknown outcome')}${owned.length === 0 ? '' : `, ${people} with people`}`,
  ];
  return waits.join(', ');
}
