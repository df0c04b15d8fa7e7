// What was found broken, in a stream of the ledger (`audit`): each breach once, however often it is come
// upon, by whom, and after how many restarts. The notifier tells people of its events.
import {
  type BrokenRecord,
  createRecordStream,
  type OnFault,
  type RecordStreamDeps,
  type StreamRecord,
} from '@action-ledger/application';
import { type JsonObject } from '@action-ledger/domain';
import { isOutage } from '@action-ledger/event-log';

/** Beyond so many everything is broken, and one more says nothing. */
const breachesMax = 10_000;

export interface BreachBook {
  /**
   * @returns false where it is on record already; where the book is damaged, true once in this process
   * @throws StoreFault where the store is away
   */
  add(breach: BrokenRecord): Promise<boolean>;
  /** Oldest first. @throws StoreFault */
  all(): Promise<readonly BrokenRecord[]>;
}

type Breaches = ReadonlyMap<string, BrokenRecord>;

export function createBreachBook(
  deps: RecordStreamDeps & { readonly onFault: OnFault },
): BreachBook {
  const stream = createRecordStream<Breaches>(deps, {
    stream: 'audit',
    initial: new Map(),
    evolve: (known, { type, data }) => {
      if (type !== 'InvariantBroken') return known;
      const breach = data as unknown as BrokenRecord;
      return new Map(known).set(nameOf(breach), breach);
    },
  });
  const write = async (breach: BrokenRecord): Promise<boolean> => {
    let isNew = false;
    await stream.change('auditor', (known): readonly StreamRecord[] => {
      isNew = !known.has(nameOf(breach)) && known.size < breachesMax;
      const { stream: of, invariant, detail } = breach;
      const data: JsonObject = { stream: of, invariant, detail };
      return isNew ? [{ type: 'InvariantBroken', data }] : [];
    });
    return isNew;
  };
  /** Told of while the book cannot be read. */
  const unwritten = new Set<string>();
  return {
    add: async (breach) => {
      try {
        return await write(breach);
      } catch (fault) {
        if (isOutage(fault)) throw fault;
        const name = nameOf(breach);
        if (unwritten.has(name) || unwritten.size >= breachesMax) return false;
        unwritten.add(name);
        deps.onFault('the stream of breaches', fault);
        return true;
      }
    },
    all: async () => [...(await stream.load()).values()],
  };
}

/** The detail may differ with each look: how late it is, how many there are. */
function nameOf({ stream, invariant }: BrokenRecord): string {
  return `${stream} ${invariant}`;
}
