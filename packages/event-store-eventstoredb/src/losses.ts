// What the server has lost of the ledger: a server that was restored says nothing of it. Whoever notices
// (by a log that has told of more, by an index that has seen more) notes it here; it is kept in a stream
// beside, so that every process which opens the ledger is told, until a person has confirmed it.
import { type EventStore, type Loss, type StoreCondition } from '@action-ledger/event-store';
import { appendBeside } from './beside.ts';
import { type Connection } from './connection.ts';
import { type Reading } from './reading.ts';
import { type ReadEvent } from './wire.ts';

export interface Losses extends Required<Pick<EventStore, 'noteLoss' | 'confirmRecovered'>> {
  readonly condition: () => StoreCondition;
  /** Those that other processes have noted or confirmed. */
  load(): Promise<void>;
}

export interface LossesDeps {
  readonly connection: Connection;
  readonly reading: () => Pick<Reading, 'beside' | 'head'>;
  readonly prefix: string;
}

interface Noted extends Loss {
  /** The position of the last event of the ledger then. */
  readonly head: number;
}

interface Known {
  readonly condition: StoreCondition;
  /** Positions, first and last. */
  readonly confirmed: readonly (readonly [number, number])[];
}

const nothingLost: Known = { condition: { kind: 'ready' }, confirmed: [] };
const noted = 'LossNoted';
const confirmed = 'LossesConfirmed';

export function createLosses({ connection, reading, prefix }: LossesDeps): Losses {
  const stream = `${prefix.slice(0, -1)}~losses`;
  let known = nothingLost;
  return {
    condition: () => known.condition,
    load: async () => {
      const events = await reading().beside(stream);
      known = events.reduce(afterEvent, nothingLost);
    },
    noteLoss: async ({ first, last, reason }) => {
      const head = (await reading().head())?.position ?? 0;
      const loss = { first, last, reason, head };
      if (isConfirmed(known, loss)) return false;
      // Nothing may be sent meanwhile, whether or not it can be kept.
      known = afterLoss(known, loss);
      await appendBeside(connection, 'The record of a loss', { stream, type: noted, data: loss });
      return true;
    },
    confirmRecovered: async () => {
      const what = 'The record that losses are confirmed';
      await appendBeside(connection, what, { stream, type: confirmed, data: {} });
      known = afterConfirmed(known);
    },
  };
}

function afterEvent(known: Known, { type, data }: ReadEvent): Known {
  if (type === confirmed) return afterConfirmed(known);
  return type === noted ? afterLoss(known, data as Noted) : known;
}

/** Positions behind the end are given again: only those before it are missing for good. */
function isGivenAgain({ first, head }: Noted): boolean {
  return first > head;
}

function isConfirmed({ confirmed: known }: Known, loss: Noted): boolean {
  if (isGivenAgain(loss)) return false;
  return known.some(([first, last]) => first <= loss.first && loss.last <= last);
}

function afterLoss(known: Known, loss: Noted): Known {
  const { condition } = known;
  const before = condition.kind === 'recovering' ? condition : undefined;
  const lost = [...(before?.lost ?? []), ...(isGivenAgain(loss) ? [] : [rangeOf(loss)])];
  return {
    ...known,
    condition: {
      kind: 'recovering',
      reason: before?.reason ?? loss.reason,
      mark: Math.max(before?.mark ?? 0, loss.last),
      head: before?.head ?? loss.head,
      ...(lost.length === 0 ? {} : { lost }),
    },
  };
}

function rangeOf({ first, last }: Noted): readonly [number, number] {
  return [first, last];
}

function afterConfirmed({ condition, confirmed: known }: Known): Known {
  const lost = condition.kind === 'recovering' ? (condition.lost ?? []) : [];
  return { condition: { kind: 'ready' }, confirmed: [...known, ...lost] };
}
