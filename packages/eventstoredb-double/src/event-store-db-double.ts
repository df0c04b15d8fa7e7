// A protocol double of an EventStoreDB server: it speaks to the real client over a real connection and
// takes appends by the server's own rules. It is not the server: no replication, no access rules, no
// scavenging, no TLS. With a file its log survives the end of its process.
import { type Runtime } from '@action-ledger/runtime';
import { hardDelete, softDelete } from './delete-call.ts';
import { type Proposed } from './double-log.ts';
import { type DoubleStore, openDoubleStore } from './double-store.ts';
import { createFaults, type Faults } from './faults.ts';
import { type OpenSubscription } from './read-call.ts';
import { createServer, listen } from './serve.ts';
import { type Member } from './server-info.ts';

export interface EventStoreDbDoubleOptions {
  readonly runtime: Pick<Runtime, 'clock'>;
  /** 0, the default: any that is free. */
  readonly port?: number;
  /** Where the log is kept; memory only without it. */
  readonly path?: string;
  /** What gossip says; by default that this one is the leader. */
  readonly members?: () => readonly Member[];
}

export interface DoubleCounts {
  readonly appends: number;
  readonly reads: number;
  readonly subscriptions: number;
}

export interface EventStoreDbDouble {
  /** For a client on this machine. */
  readonly connectionString: string;
  readonly port: number;
  readonly faults: Faults;
  /** Bytes of a torn append that were cut off the file at the start. */
  readonly cutBytes: number;
  readonly counts: () => DoubleCounts;
  readonly openSubscriptions: () => number;
  /** `silently`: they stay open and hear nothing more. */
  readonly dropSubscriptions: (how: 'silently' | 'with notice') => void;
  /** Another application of the same server appends. */
  readonly write: (
    stream: string,
    event: Pick<Proposed, 'id' | 'type'>,
    data?: string,
  ) => Promise<void>;
  /** As somebody does at the server: what the stream holds is hidden, and it goes on where it was. */
  readonly deleteStream: (stream: string) => Promise<void>;
  /** For good. */
  readonly tombstoneStream: (stream: string) => Promise<void>;
  /** Of all streams. */
  readonly recordCount: () => number;
  /** Forgets the last records, acknowledged or not. In memory only. */
  readonly loseLast: (count: number) => void;
  /** Drops every connection and listens no more. */
  readonly down: () => void;
  readonly up: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function openEventStoreDbDouble(
  options: EventStoreDbDoubleOptions,
): Promise<EventStoreDbDouble> {
  const store = await openDoubleStore(options.path, () => options.runtime.clock.wallMs());
  const faults = createFaults();
  const subscriptions = new Set<OpenSubscription>();
  const counts = { appends: 0, reads: 0, subscriptions: 0 };
  const deps = {
    store,
    faults,
    subscriptions,
    members: options.members ?? (() => [{ host: '127.0.0.1', port, isLeader: true }]),
    onAppend: () => {
      counts.appends += 1;
    },
    onRead: (isSubscription: boolean) => {
      counts[isSubscription ? 'subscriptions' : 'reads'] += 1;
    },
  };
  let server = createServer(deps);
  const port = await listen(server, options.port ?? 0);
  const down = (): void => {
    server.forceShutdown();
    for (const each of [...subscriptions]) each.silence();
  };
  return {
    connectionString: `esdb://127.0.0.1:${port}?tls=false`,
    port,
    faults,
    cutBytes: store.cutBytes,
    counts: () => ({ ...counts }),
    openSubscriptions: () => subscriptions.size,
    dropSubscriptions: (how) => {
      for (const each of [...subscriptions])
        if (how === 'silently') each.silence();
        else each.end();
    },
    write: (stream, event, data = '{}') => writeForeign(store, stream, event, data),
    deleteStream: async (stream) => {
      await softDelete(store, stream);
    },
    tombstoneStream: async (stream) => {
      await hardDelete(store, stream);
    },
    recordCount: () => store.records().length,
    loseLast: store.loseLast,
    down,
    up: async () => {
      server = createServer(deps);
      await listen(server, port);
    },
    close: async () => {
      down();
      await store.close();
    },
  };
}

async function writeForeign(
  store: DoubleStore,
  stream: string,
  event: Pick<Proposed, 'id' | 'type'>,
  data: string,
): Promise<void> {
  const [bytes, metadata] = [Buffer.from(data), new Uint8Array()];
  const whole = { ...event, contentType: 'application/json', data: bytes, metadata };
  await store.append(stream, 'any', [whole]);
}
