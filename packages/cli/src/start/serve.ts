// A ledger that answers until it is stopped, as commands run it: what goes wrong is told in the words of
// the command line, and what begins to wait for people is printed as it comes.
import { type Access, createOpenAccess, isLoopback } from '@action-ledger/access';
import { type Notice, type ObserveScope } from '@action-ledger/client';
import { type Runtime } from '@action-ledger/runtime';
import { openStandalone, type Standalone } from '@action-ledger/standalone';
import { type ToolSet } from '@action-ledger/tools';
import { type Cli } from '../cli.ts';
import { CliError } from '../cli-error.ts';
import { scopeText } from '../desk/keys.ts';
import { printable } from '../format/printable.ts';
import { dateTime } from '../format/time.ts';
import { bySuffix, pathSuffix } from '../ledger-file/ledger-path.ts';
import { shortId } from '../ledger-file/find-action.ts';
import { endpointsOf, type NotifyOptions } from './notify-options.ts';

export interface ServeOptions extends NotifyOptions {
  readonly host: string;
  readonly port: number;
  /** Everyone on this machine is "local" of tenant "default". */
  readonly open?: boolean;
  /** Default: the command's own. */
  readonly runtime?: Runtime;
  /** Default true. */
  readonly pausesOnBurst?: boolean;
  /** True: of all tools. */
  readonly observe?: true | readonly string[];
  readonly observeTenants?: readonly string[];
  readonly metrics?: boolean;
  readonly metricsHost?: string;
  readonly metricsPort?: number;
  /** One line for each request on standard error. */
  readonly accessLog?: boolean;
}

export interface Served extends Standalone {
  /** Prints the first screen, then what came up meanwhile; what comes up later is printed as it comes. */
  readonly announce: (screen: string) => void;
}

/** @throws CliError, StoreFault */
export async function serve(
  cli: Cli,
  path: string,
  tools: ToolSet,
  options: ServeOptions,
): Promise<Served> {
  const { host, port, open, runtime = cli.io.runtime, pausesOnBurst = true } = options;
  const endpoints = endpointsOf(options, cli.io.runtime);
  // Whoever may not be let in is known before a file is made.
  const access = open === true ? everyone(host) : undefined;
  const cameUp: string[] = [];
  let isAnnounced = false;
  const tell = (facts: object, message: string): void => {
    cli.io.err(`${message}${faultText(facts)}\n`);
  };
  try {
    const standalone = await openStandalone({
      path,
      tools: tools.all,
      runtime,
      pausesOnBurst,
      listen: { host, port },
      logger: { info: accessLine(cli), warn: tell, error: tell },
      accessLog: options.accessLog === true,
      ...metricsOf(options),
      ...observeOf(options),
      onNotice: (notice) => {
        const line = `${noticeText(cli, notice, pathSuffix(cli.io, path))}\n`;
        if (isAnnounced) cli.io.out(line);
        else cameUp.push(line);
      },
      ...(endpoints === undefined ? {} : { notify: { endpoints } }),
      ...(access === undefined ? {} : { access: () => access }),
    });
    const announce = (screen: string): void => {
      isAnnounced = true;
      cli.io.out(screen + cameUp.join(''));
    };
    return { ...standalone, announce };
  } catch (error) {
    throw addressFault(error, host, port) ?? error;
  }
}

/** For a ledger that only its own machine can reach. @throws CliError */
function everyone(host: string): Access {
  if (!isLoopback(host))
    throw new CliError('cli.usage', `--open lets everyone in who can reach ${host}`, {
      fix: 'leave --host out, or leave --open out and make keys with `action-ledger keys create`.',
      exitCode: 2,
    });
  return createOpenAccess();
}

function addressFault(error: unknown, host: string, port: number): CliError | undefined {
  const {
    code,
    address = host,
    port: taken = port,
  } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  if (code !== 'EADDRINUSE' && code !== 'EACCES' && code !== 'EADDRNOTAVAIL') return undefined;
  const why = code === 'EADDRINUSE' ? 'is taken by another program' : 'cannot be used';
  return new CliError('cli.address', `${address}:${taken} ${why}`, {
    fix: `name another with ${taken === port ? '--port' : '--metrics-port'}; 0: any that is free.`,
    cause: error,
  });
}

/** @param file what names the ledger in a command */
function noticeText({ io, style }: Cli, notice: Notice, file: string): string {
  const at = style.dim(dateTime(io.runtime.clock.wallMs()));
  switch (notice.kind) {
    case 'approval waiting': {
      const { tool, id } = notice.action;
      return `${at} approval waits: ${printable(tool)}; action-ledger approve ${shortId(id)}${bySuffix(io)}${file}`;
    }
    case 'unknown escalated': {
      const { tool, id } = notice.action;
      return `${at} not known, a person is needed: ${printable(tool)}; action-ledger actions show ${shortId(id)}${file}`;
    }
    case 'incident': {
      const { tool, id } = notice.action;
      return `${at} incident: ${printable(tool)}; action-ledger actions show ${shortId(id)}${file}`;
    }
    case 'workflow needs a person':
      return `${at} workflow needs a person; action-ledger workflow show ${shortId(notice.workflow.id)}${file}`;
    case 'paused':
      return `${at} paused: ${scopeText(notice.pause)} (${printable(notice.pause.reason)})`;
    case 'resumed':
      return `${at} resumed: ${scopeText(notice.pause)} (${printable(notice.reason)})`;
    case 'rules loosened':
      return `${at} rules loosened by ${printable(notice.by)}: ${printable(notice.tool)} of ${printable(notice.tenant)} (${notice.rules.join(', ')})`;
    case 'stream broken':
      return `${at} damaged: ${shortId(notice.actionId)}: ${printable(notice.reason)}; action-ledger verify${file}`;
  }
}

/** Of what is told for information, requests alone are printed. */
function accessLine({ io }: Cli): (facts: object, message: string) => void {
  return (facts, message) => {
    if (message === 'request')
      io.err(`${JSON.stringify({ at: new Date(io.runtime.clock.wallMs()), ...facts })}\n`);
  };
}

function metricsOf({ metrics, metricsHost, metricsPort }: ServeOptions): {
  readonly metrics?: { readonly host?: string; readonly port?: number };
} {
  if (metrics !== true) return {};
  const host = metricsHost === undefined ? {} : { host: metricsHost };
  return { metrics: { ...host, ...(metricsPort === undefined ? {} : { port: metricsPort }) } };
}

function observeOf({ observe, observeTenants }: ServeOptions): {
  readonly observe?: true | ObserveScope;
} {
  if (observe === true) return { observe };
  if (observe === undefined && observeTenants === undefined) return {};
  return { observe: { tools: observe ?? [], tenants: observeTenants ?? [] } };
}

function faultText(facts: object): string {
  const { fault } = facts as { readonly fault?: unknown };
  if (fault === undefined) return '';
  return `: ${fault instanceof Error ? fault.message : JSON.stringify(fault)}`;
}

/** A second one ends the process as it would have without us. */
export function stopSignal(): Promise<void> {
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
