// A ledger's file together with its archive files: a stream that was archived reads from its first event
// again. What an archive holds is proved by its chain before it is shown.
import { type ArchivedStreams, createArchivedStreams } from '@action-ledger/application';
import { chainBefore, type EventData } from '@action-ledger/domain';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import { CliError } from '../cli-error.ts';
import { printable } from '../format/printable.ts';
import { sha256 } from '../sha256.ts';
import { archiveFolderAt } from './archive-folder.ts';

export interface ArchiveOption {
  readonly archive?: string;
}

type Reads = Pick<EventStore, 'readStream' | 'readAll'>;

/** @throws CliError `archive.missing`, `archive.damaged` when such a stream is read */
export function withArchive<Store extends Reads>(store: Store, { archive }: ArchiveOption): Store {
  if (archive === undefined) return store;
  const archives = createArchivedStreams(archiveFolderAt(archive), sha256);
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'readStream')
        return async (stream: string, from = 0) =>
          (await wholeStream(archives, target, stream)).filter(({ revision }) => revision >= from);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

async function wholeStream(
  archives: ArchivedStreams,
  store: Reads,
  stream: string,
): Promise<readonly RecordedEvent[]> {
  let events = await store.readStream(stream);
  for (;;) {
    const [first] = events;
    const marker = first === undefined ? undefined : markerIn(first);
    // One that cannot be read is for whoever folds the stream: it is damaged.
    if (first === undefined || marker === undefined || marker === 'unreadable') return events;
    const found = await archives.find(marker.file, stream, chainBefore(stream, first));
    if (found.kind !== 'whole')
      throw new CliError(
        found.kind === 'missing' ? 'archive.missing' : 'archive.damaged',
        `the archived events of ${printable(stream)} cannot be shown: ${found.reason}`,
        {
          fix: 'name the folder that `archive` wrote to; compare a damaged file with a copy of it.',
        },
      );
    events = [...found.events, ...events];
  }
}

type Marker = EventData['ActionArchived'];

/** Of an event that stands in for those before it. Nothing has proved yet that it is as it was written. */
export function markerIn({
  type,
  revision,
  data,
}: RecordedEvent): Marker | 'unreadable' | undefined {
  if (type !== 'ActionArchived' || revision === 0) return undefined;
  try {
    const marker = JSON.parse(data) as unknown;
    return isMarker(marker) ? marker : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

function isMarker(value: unknown): value is Marker {
  const { file, through, previousHash, state } = (value ?? {}) as Record<keyof Marker, unknown>;
  return (
    typeof file === 'string' &&
    typeof through === 'number' &&
    typeof previousHash === 'string' &&
    typeof state === 'object' &&
    state !== null
  );
}
