// What was found broken, in a stream of the ledger (`audit`): each breach once, however often it is come
// upon, by whom, and after how many restarts. The notifier tells people of its events.
import {
  type BrokenRecord,
  createRecordStream,
  type RecordStreamDeps,
  type StreamRecord,
} from '@action-ledger/application';
import { type JsonObject } from '@action-ledger/domain';

/** Beyond so many everything is broken, and one more says nothing. */
const breachesMax = 10_000;

export interface BreachBook {
  /** @returns false where it is on record already. @throws StoreFault */
  add(breach: BrokenRecord): Promise<boolean>;
  /** Oldest first. @throws StoreFault */
  all(): Promise<readonly BrokenRecord[]>;
}

type Breaches = ReadonlyMap<string, BrokenRecord>;

export function createBreachBook(deps: RecordStreamDeps): BreachBook {
  const stream = createRecordStream<Breaches>(deps, {
    stream: 'audit',
    initial: new Map(),
    evolve: (known, { type, data }) => {
      if (type !== 'InvariantBroken') return known;
      const breach = data as unknown as BrokenRecord;
      return new Map(known).set(nameOf(breach), breach);
    },
  });
  return {
    add: async (breach) => {
      let isNew = false;
      await stream.change('auditor', (known): readonly StreamRecord[] => {
        isNew = !known.has(nameOf(breach)) && known.size < breachesMax;
        const { stream: of, invariant, detail } = breach;
        const data: JsonObject = { stream: of, invariant, detail };
        return isNew ? [{ type: 'InvariantBroken', data }] : [];
      });
      return isNew;
    },
    all: async () => [...(await stream.load()).values()],
  };
}

/** The detail may differ with each look: how late it is, how many there are. */
function nameOf({ stream, invariant }: BrokenRecord): string {
  return `${stream} ${invariant}`;
}
