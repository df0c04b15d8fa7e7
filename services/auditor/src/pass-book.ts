// How far the pass over everything is, and when the last one ended, in a stream of the ledger (`audit-pass`):
// a process that is started anew every day goes on where the one before was, and lets none be missed.
import { createRecordStream, type RecordStreamDeps } from '@action-ledger/application';

/** Positions of the store. */
export interface PassPlace {
  /** Everything up to here was looked at. */
  readonly after: number;
  /** The end of the store when it began. */
  readonly through: number;
}

export interface Passes {
  /** Undefined where none is under way. */
  readonly place?: PassPlace;
  /** Wall-clock ms; undefined where none has. */
  readonly endedAt?: number;
}

export interface PassBook {
  /** @throws StoreFault */
  load(): Promise<Passes>;
  /** @throws StoreFault */
  note(place: PassPlace): Promise<void>;
  /** It is through. @throws StoreFault */
  end(): Promise<void>;
}

export function createPassBook(deps: RecordStreamDeps): PassBook {
  const stream = createRecordStream<Passes>(deps, {
    stream: 'audit-pass',
    initial: {},
    evolve: (passes, { type, data, at }) => {
      if (type === 'PassEnded') return { endedAt: at };
      if (type !== 'PassMoved') return passes;
      return { ...passes, place: data as unknown as PassPlace };
    },
  });
  const append = async (type: string, data: Readonly<Record<string, number>>): Promise<void> => {
    await stream.change('auditor', () => [{ type, data }]);
  };
  return {
    load: () => stream.load(),
    note: ({ after, through }) => append('PassMoved', { after, through }),
    end: () => append('PassEnded', {}),
  };
}
