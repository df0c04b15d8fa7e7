// What the processes of a run leave on disk: the event store, which an earlier state can take the place of,
// and the files of archives.
import { eventOfLine } from '@action-ledger/codec';
import { type ArchiveFolder } from '@action-ledger/application';
import {
  createMemoryEventStore,
  type EventStore,
  type MemoryEventStore,
  type RecordedEvent,
} from '@action-ledger/event-store';

export interface Disk {
  readonly store: () => EventStore;
  /** Of the store as it is now. */
  readonly backUp: () => Backup;
  /** The backup takes the place of the store, which knows that it has been further. */
  readonly restore: (backup: Backup) => void;
  readonly archives: ArchiveFolder;
}

export interface Backup {
  readonly events: readonly RecordedEvent[];
  readonly givenUp: ReturnType<MemoryEventStore['allGivenUp']>;
}

/** @param onStore of each store that is there from now on, with all that it holds */
export function createDisk(
  onStore: (store: EventStore, held: readonly RecordedEvent[]) => void,
): Disk {
  let store = createMemoryEventStore();
  const files = new Map<string, readonly string[]>();
  onStore(store, []);
  return {
    store: () => store,
    backUp: () => ({ events: store.events(), givenUp: store.allGivenUp() }),
    restore: (backup) => {
      const mark = store.events().at(-1)?.position ?? 0;
      store = createMemoryEventStore({ ...backup, mark });
      onStore(store, backup.events);
    },
    archives: {
      write: async (lines, day) => {
        const name = `archive-${day}-${files.size}.ndjson`;
        files.set(name, lines);
        return name;
      },
      read: async (file) => files.get(file)?.map(eventOfLine),
    },
  };
}
