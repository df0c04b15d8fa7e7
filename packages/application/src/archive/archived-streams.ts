// What archive files hold, stream by stream, proved by its chain. A file is read once; the last few are
// kept.
import {
  type ChainPlace,
  findChainBreak,
  type Sha256,
  unsealMetadata,
} from '@action-ledger/domain';
import { type RecordedEvent } from '@action-ledger/event-store';
import { createRecentMap } from '../record/recent-map.ts';
import { type ArchiveFolder } from './archive-folder.ts';

export type ArchivedStream =
  | { readonly kind: 'whole'; readonly events: readonly RecordedEvent[] }
  | { readonly kind: 'missing' | 'damaged'; readonly reason: string };

export interface ArchivedStreams {
  /**
   * Events of a stream in a file, which must end as its marker says.
   * @param end the last revision that is in it, and its hash
   */
  find(file: string, stream: string, end: ChainPlace): Promise<ArchivedStream>;
}

type Streams = ReadonlyMap<string, readonly RecordedEvent[]>;

const filesKept = 8;

export function createArchivedStreams(folder: ArchiveFolder, sha256: Sha256): ArchivedStreams {
  const kept = createRecentMap<Streams | string>({ entriesMax: filesKept });
  const open = async (file: string): Promise<Streams | string | undefined> => {
    const known = kept.get(file);
    if (known !== undefined) return known;
    const read = await readFile(folder, file);
    if (read !== undefined) kept.set(file, read);
    return read;
  };
  return {
    find: async (file, stream, end) => {
      const streams = await open(file);
      if (streams === undefined) return { kind: 'missing', reason: `there is no file ${file}` };
      if (typeof streams === 'string')
        return { kind: 'damaged', reason: `${file} cannot be read: ${streams}` };
      const events = (streams.get(stream) ?? []).filter(({ revision }) => revision <= end.revision);
      const why = whyNot(sha256, stream, events, end);
      return why === undefined
        ? { kind: 'whole', events }
        : { kind: 'damaged', reason: `${file} does not hold it as it was: ${why}` };
    },
  };
}

async function readFile(
  folder: ArchiveFolder,
  file: string,
): Promise<Streams | string | undefined> {
  try {
    const events = await folder.read(file);
    if (events === undefined) return undefined;
    const streams = new Map<string, RecordedEvent[]>();
    for (const event of events) {
      const own = streams.get(event.stream);
      if (own === undefined) streams.set(event.stream, [event]);
      else own.push(event);
    }
    return streams;
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    // The system's word on one file that cannot be opened or read: the others may well be.
    const { code } = error as { readonly code?: unknown };
    if (typeof code === 'string') return code;
    throw error;
  }
}

function whyNot(
  sha256: Sha256,
  stream: string,
  events: readonly RecordedEvent[],
  { revision, hash }: ChainPlace,
): string | undefined {
  const last = events.at(-1);
  if (last === undefined) return 'it is not in there';
  const broken = findChainBreak(sha256, stream, events);
  if (broken !== undefined) return `revision ${broken.revision}: ${broken.what}`;
  const ends = last.revision === revision && unsealMetadata(last.metadata)?.hash === hash;
  return ends ? undefined : `it should end with revision ${revision}`;
}
