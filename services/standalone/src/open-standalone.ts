// Everything in one process over one SQLite file: one core, the services that act over it, the HTTP API in
// front of it, and the door of the machine for people on it.
import { hash } from 'node:crypto';
import { type Access, createKeyRing, type KeyRing } from '@action-ledger/access';
import { type Auditor } from '@action-ledger/auditor';
import {
  type AnyTool,
  type ComposedLedger,
  composeLedger,
  type Ledger,
  type Notice,
  type ObserveScope,
  usualBurst,
} from '@action-ledger/client';
import { type OwnerSocket, readOwner, serveOwnerSocket } from '@action-ledger/event-store-sqlite';
import { createGateway, type Logger } from '@action-ledger/gateway';
import { createSystemRuntime, type Runtime } from '@action-ledger/runtime';
import { createToolSet } from '@action-ledger/tools';
import { checkAddress } from './check-address.ts';
import { createDesk } from './desk.ts';
import { answeredTo, createMetering, type Metering, type MetricsPlace } from './metering.ts';
import { type Following, openFollowing } from './open-following.ts';
import { type Notifying, type NotifyingOptions } from './open-notifying.ts';

export interface StandaloneOptions {
  /** The file that holds everything; made where it is missing. */
  readonly path: string;
  readonly tools: readonly AnyTool[];
  /** Who may come in over HTTP, asked beside the API keys on record. */
  readonly access?: (keys: KeyRing) => Access;
  /** Default: a free port of 127.0.0.1. */
  readonly listen?: { readonly host?: string; readonly port?: number };
  readonly logger: Logger;
  readonly onNotice?: (notice: Notice) => void;
  /** Whom to tell, durably, of what waits for people. */
  readonly notify?: NotifyingOptions;
  /** Serves Prometheus metrics there; default: nothing is counted. */
  readonly metrics?: MetricsPlace;
  /** One line for each request over HTTP goes to `logger.info`. Default false. */
  readonly accessLog?: boolean;
  /** Calls of these are only observed; true: of all tools. */
  readonly observe?: boolean | ObserveScope;
  /** False: many unknown outcomes of a tool do not pause it. Default true. */
  readonly pausesOnBurst?: boolean;
  readonly runtime?: Runtime;
}

export interface Standalone {
  readonly url: string;
  readonly ledger: Ledger;
  readonly keys: KeyRing;
  /** Those that act, by name. */
  readonly services: Following['services'];
  readonly notifying: Notifying | undefined;
  readonly auditor: Auditor;
  readonly metering: Metering | undefined;
  /** Answers what is under way, takes nothing new, lets the file go. */
  stop(): Promise<void>;
}

/** @throws StoreFault the file cannot be opened; an error where an address is taken, before a file is made */
export async function openStandalone(options: StandaloneOptions): Promise<Standalone> {
  const { path, logger, runtime = createSystemRuntime() } = options;
  for (const address of [options.listen, options.metrics]) await checkAddress(address ?? {});
  const metering = options.metrics && createMetering(options.metrics, runtime, logger);
  const composed = await openItsLedger(options, runtime, metering);
  const { ledger } = composed;
  const { store } = ledger;
  const clock = { nowMs: () => runtime.clock.wallMs() };
  const keys = createKeyRing({ store, sha256, clock, runtime });
  const tools = createToolSet(options.tools);
  const shared = { ledger, tools, keys, feed: store, runtime, logger };
  const access = options.access?.(keys) ?? keys;
  const gateway = createGateway({
    ...shared,
    access,
    ...answeredTo(options, metering),
    ...(options.listen === undefined ? {} : { listen: options.listen }),
  });
  const desk = createDesk(shared);
  let socket: OwnerSocket | undefined;
  let following: Following | undefined;
  const stop = async (): Promise<void> => {
    await metering?.stop();
    await gateway.stop();
    await desk.close();
    await socket?.close();
    await following?.stop();
    await ledger.close();
  };
  try {
    const owner = readOwner(path);
    if (owner !== undefined)
      socket = await serveOwnerSocket(owner.socket, async (asked) => ({
        ...(await desk.answer(asked)),
      }));
    following = await openFollowing({ ...options, ...composed, runtime, metering });
    const { services, notifying, auditor } = following;
    const { url } = await gateway.start();
    await metering?.start(ledger, { ...services, auditor, notifier: notifying?.notifier });
    return { url, ledger, keys, services, notifying, auditor, metering, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** It only records: the services do the rest. */
function openItsLedger(
  { path, tools, logger, onNotice, pausesOnBurst, observe }: StandaloneOptions,
  runtime: Runtime,
  metering: Metering | undefined,
): Promise<ComposedLedger<Readonly<Record<string, AnyTool>>>> {
  const given = {
    path,
    tools,
    runtime,
    onFault: (where: string, fault: unknown) => {
      logger.error({ fault }, where);
    },
    ...(observe === undefined ? {} : { observe }),
    ...(pausesOnBurst === false ? {} : { pauseOnBurst: usualBurst }),
    onNotice: (notice: Notice) => {
      if (notice.kind === 'stream broken') metering?.broken('chain-holds');
      onNotice?.(notice);
    },
    ...(metering === undefined ? {} : { watch: metering.watch }),
  };
  return composeLedger(given, { duties: [] });
}

function sha256(text: string): string {
  return hash('sha256', text, 'base64url');
}
