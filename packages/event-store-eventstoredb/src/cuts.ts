// What was given up. The server forgets the events of a truncated stream only when it scavenges, and
// shows them in its log until then; so a stream beside those of the ledger says which were cut, and
// where. One append makes a cut: telling the server what it need not keep comes after it, and can be
// repeated. A cut that is recorded twice is one cut.
import { checkCut, type StreamCut, StoreFault } from '@action-ledger/event-store';
import { appendBeside, tried } from './beside.ts';
import { type Connection } from './connection.ts';
import { type Reading } from './reading.ts';
import { type ReadEvent } from './wire.ts';

export interface Cuts {
  /** The revision below which the events of a stream were given up; 0 where none were. */
  before(stream: string): number;
  /** Those that other processes have made. */
  load(): Promise<void>;
  truncate(cuts: readonly StreamCut[]): Promise<void>;
}

export interface CutsDeps {
  readonly connection: Connection;
  readonly reading: () => Pick<Reading, 'tail' | 'beside'>;
  readonly prefix: string;
}

/** In one event. */
const cutsPerEventMax = 256;
/** Calls at once. */
const callsMax = 32;

export function createCuts(deps: CutsDeps): Cuts {
  const known = new Map<string, number>();
  const stream = `${deps.prefix.slice(0, -1)}~cuts`;
  const learn = ({ stream: name, before }: StreamCut): void => {
    known.set(name, Math.max(before, known.get(name) ?? 0));
  };
  const before = (name: string): number => known.get(name) ?? 0;
  return {
    before,
    load: async () => {
      for (const event of await deps.reading().beside(stream)) cutsIn(event).forEach(learn);
    },
    truncate: async (cuts) => {
      await inGroups(cuts, callsMax, async (cut) => {
        checkCut(cut, (await deps.reading().tail(cut.stream, 1))[0]?.revision);
      });
      const news = cuts.filter((cut) => cut.before > before(cut.stream));
      for (let at = 0; at < news.length; at += cutsPerEventMax) {
        const some = news.slice(at, at + cutsPerEventMax);
        await record(deps, stream, some);
        some.forEach(learn);
      }
      await inGroups(cuts, callsMax, (cut) => tellServer(deps, cut.stream, before(cut.stream)));
    },
  };
}

async function record(
  { connection }: CutsDeps,
  stream: string,
  cuts: readonly StreamCut[],
): Promise<void> {
  const data = { cuts: cuts.map((cut) => [cut.stream, cut.before]) };
  await appendBeside(connection, 'The record of a cut', { stream, type: 'StreamsCut', data });
}

async function tellServer(
  { connection, prefix }: CutsDeps,
  stream: string,
  truncateBefore: number,
): Promise<void> {
  if (truncateBefore === 0) return;
  await tried(connection, `Cutting ${stream}`, (client, options) =>
    client.setStreamMetadata(prefix + stream, { truncateBefore }, options),
  );
}

function cutsIn({ data, revision }: ReadEvent): readonly StreamCut[] {
  const { cuts } = (data ?? {}) as { readonly cuts?: unknown };
  if (!Array.isArray(cuts)) throw damaged(revision);
  return (cuts as readonly unknown[]).map((cut) => {
    const [stream, before] = Array.isArray(cut) ? (cut as readonly unknown[]) : [];
    if (typeof stream !== 'string' || typeof before !== 'number') throw damaged(revision);
    return { stream, before };
  });
}

function damaged(revision: bigint): StoreFault {
  return new StoreFault(
    'store.corrupt',
    'never',
    `What revision ${revision} of the record of cuts says cannot be read.`,
  );
}

async function inGroups<Item>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < items.length; at += size)
    await Promise.all(items.slice(at, at + size).map(work));
}
