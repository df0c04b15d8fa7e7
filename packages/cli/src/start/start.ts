// `action-ledger start`: a ledger that answers until it is stopped. Its first screen says what runs,
// where, and what waits for people; later it tells them what comes up.
import { openAccess, type KeyRing, roles } from '@action-ledger/access';
import { type Ledger, type Notice } from '@action-ledger/client';
import { openStandalone, type Standalone } from '@action-ledger/standalone';
import { type ToolSet } from '@action-ledger/tools';
import { type Cli } from '../cli.ts';
import { CliError } from '../cli-error.ts';
import { scopeText } from '../desk/keys.ts';
import { loadTools } from '../explain/load-tools.ts';
import { count } from '../format/count.ts';
import { printable } from '../format/printable.ts';
import { dateTime } from '../format/time.ts';
import { shortId } from '../ledger-file/find-action.ts';
import { ledgerPath, type PathOption } from '../ledger-file/ledger-path.ts';

export interface StartOptions extends PathOption {
  readonly tools: string;
  readonly host: string;
  readonly port: number;
  readonly open?: boolean;
}

/** Ends with a signal. @throws CliError, StoreFault */
export async function start(cli: Cli, options: StartOptions): Promise<void> {
  const tools = await loadTools(options.tools);
  const path = ledgerPath(cli.io, options);
  const standalone = await openAt(cli, path, tools, options);
  cli.io.out(await firstScreen(cli, path, tools, standalone, options));
  await stopSignal();
  cli.io.out('Stopping: what is under way is finished first.\n');
  await standalone.stop();
}

async function openAt(
  cli: Cli,
  path: string,
  tools: ToolSet,
  { host, port, open }: StartOptions,
): Promise<Standalone> {
  const tell = (facts: object, message: string): void => {
    cli.io.err(`${message}${faultText(facts)}\n`);
  };
  try {
    return await openStandalone({
      path,
      tools: tools.all,
      runtime: cli.io.runtime,
      listen: { host, port },
      logger: { info: () => undefined, warn: tell, error: tell },
      onNotice: (notice) => {
        cli.io.out(`${noticeText(cli, notice)}\n`);
      },
      ...(open === true ? { access: () => everyone(host) } : {}),
    });
  } catch (error) {
    throw addressFault(error, host, port) ?? error;
  }
}

/** For a ledger that only its own machine can reach. @throws CliError */
function everyone(host: string): ReturnType<typeof openAccess> {
  if (host !== '127.0.0.1' && host !== '::1' && host !== 'localhost')
    throw new CliError('cli.usage', `--open lets everyone in who can reach ${host}`, {
      fix: 'leave --host out, or leave --open out and make keys with `action-ledger keys create`.',
      exitCode: 2,
    });
  return openAccess({ name: 'local', tenant: 'default', roles: new Set(roles) });
}

function addressFault(error: unknown, host: string, port: number): CliError | undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'EADDRINUSE' && code !== 'EACCES' && code !== 'EADDRNOTAVAIL') return undefined;
  const why = code === 'EADDRINUSE' ? 'is taken by another program' : 'cannot be used';
  return new CliError('cli.address', `${host}:${port} ${why}`, {
    fix: 'name another with --port, or --port 0 for any that is free.',
    cause: error,
  });
}

async function firstScreen(
  { io, style }: Cli,
  path: string,
  tools: ToolSet,
  { url, ledger, keys }: Standalone,
  { open }: StartOptions,
): Promise<string> {
  const rows: readonly (readonly [what: string, is: string])[] = [
    ['file', `${path}, ${count(await ledger.store.head(), 'event')}`],
    ['API', `${url}/v1`],
    ['docs', `${url}/docs`],
    ['access', open === true ? 'open: everyone on this machine' : await keysText(keys, io)],
    ['tools', toolsText(tools)],
    ['waiting', waitingText(ledger)],
    ['paused', ledger.pauses().map(scopeText).join(', ') || 'nothing'],
  ];
  const lines = rows.map(([what, is]) => `  ${style.dim(what.padEnd(8))} ${is}\n`);
  const condition = ledger.store.condition();
  const alarm =
    condition.kind === 'ready'
      ? ''
      : `\n${style.bad(`Recovering: ${condition.reason} Nothing new is taken or sent.`)}\n`;
  return `${style.bold(`Action ledger ${io.version}`)}\n\n${lines.join('')}${alarm}\nCtrl-C stops it.\n`;
}

async function keysText(keys: KeyRing, { runtime }: Cli['io']): Promise<string> {
  const now = runtime.clock.wallMs();
  const good = (await keys.list()).filter(
    ({ revoked, expiresAt = Infinity }) => revoked === undefined && now < expiresAt,
  );
  return good.length === 0
    ? 'by API key, and there is none: action-ledger keys create --name ME --role proposer'
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

function noticeText({ io, style }: Cli, notice: Notice): string {
  const at = style.dim(dateTime(io.runtime.clock.wallMs()));
  switch (notice.kind) {
    case 'approval waiting': {
      const { tool, id } = notice.action;
      return `${at} approval waits: ${printable(tool)}; action-ledger approve ${shortId(id)}`;
    }
    case 'unknown escalated': {
      const { tool, id } = notice.action;
      return `${at} not known, a person is needed: ${printable(tool)}; action-ledger actions show ${shortId(id)}`;
    }
    case 'incident': {
      const { tool, id } = notice.action;
      return `${at} incident: ${printable(tool)}; action-ledger actions show ${shortId(id)}`;
    }
    case 'workflow needs a person':
      return `${at} workflow needs a person; action-ledger workflow show ${shortId(notice.workflow.id)}`;
    case 'paused':
      return `${at} paused: ${scopeText(notice.pause)} (${printable(notice.pause.reason)})`;
    case 'stream broken':
      return `${at} damaged: ${shortId(notice.actionId)}: ${printable(notice.reason)}; action-ledger verify`;
  }
}

function faultText(facts: object): string {
  const { fault } = facts as { readonly fault?: unknown };
  if (fault === undefined) return '';
  return `: ${fault instanceof Error ? fault.message : JSON.stringify(fault)}`;
}

/** A second one ends the process as it would have without us. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      process.removeListener('SIGINT', stop);
      process.removeListener('SIGTERM', stop);
      resolve();
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}
