// What the server has lost of the ledger: a server that was restored says nothing of it. Whoever notices
// (by what it has seen itself, by a log that has told of more) notes it here; it is kept in a stream
// beside, so that every process which has the ledger open is told, until a person has confirmed it. One
// that had it open in between has read what is gone: it does not become ready again, and opens it anew.
import { type EventStore, type Loss, type StoreCondition } from '@action-ledger/event-store';
import { type Clock } from '@action-ledger/runtime';
import { appendBeside } from './beside.ts';
import { type Connection } from './connection.ts';
import { type Reading } from './reading.ts';
import { type ReadEvent } from './wire.ts';

type Recovering = Extract<StoreCondition, { kind: 'recovering' }>;

export interface Losses extends Required<Pick<EventStore, 'noteLoss' | 'confirmRecovered'>> {
  readonly condition: () => StoreCondition;
  /** Those that other processes have noted or confirmed since. @throws StoreFault */
  load(): Promise<void>;
  /** It is on record. */
  readonly isNoted: () => boolean;
  /** Something seems to be gone, or, undefined, is not after all: nothing is on record of it. */
  readonly suspect: (suspicion: Pick<Recovering, 'reason' | 'mark' | 'head'> | undefined) => void;
}

export interface LossesDeps {
  readonly connection: Connection;
  readonly reading: () => Pick<Reading, 'beside' | 'head'>;
  readonly clock: Pick<Clock, 'wallMs'>;
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
  /** When a person confirmed it last, wall-clock ms; 0 where nobody has. */
  readonly confirmedAt: number;
}

const nothingLost: Known = { condition: { kind: 'ready' }, confirmed: [], confirmedAt: 0 };
const noted = 'LossNoted';
const confirmed = 'LossesConfirmed';

export function createLosses({ connection, reading, clock, prefix }: LossesDeps): Losses {
  const stream = `${prefix.slice(0, -1)}~losses`;
  const seen = new Set<string>();
  let known = nothingLost;
  let suspected: Recovering | undefined;
  let isOpening = true;
  /** Found here, and not on record yet. */
  let unkept: Noted | undefined;
  /** What this process says itself is known before it is read. */
  const append = async (what: string, type: string, data: object): Promise<void> => {
    await appendBeside(connection, what, { stream, type, data: { ...data } }, (id) => seen.add(id));
  };
  const keep = async (loss: Noted): Promise<void> => {
    unkept = loss;
    await append('The record of a loss', noted, loss);
    unkept = undefined;
  };
  return {
    condition: () => (known.condition.kind === 'ready' ? suspected : undefined) ?? known.condition,
    isNoted: () => known.condition.kind === 'recovering',
    suspect: (suspicion) => {
      suspected = suspicion && { kind: 'recovering', ...suspicion };
    },
    load: async () => {
      const events = await reading().beside(stream);
      const news = events.filter(({ id }) => !seen.has(id));
      for (const { id } of news) seen.add(id);
      known = news.reduce(isOpening ? afterEvent : afterNews, known);
      isOpening = false;
      if (unkept !== undefined) await keep(unkept);
    },
    noteLoss: async (loss) => {
      const head = (await reading().head())?.position ?? 0;
      const { first, last, reason, recordedAt } = loss;
      const time = recordedAt === undefined ? {} : { recordedAt };
      const found = { first, last, reason, head, ...time };
      if (isConfirmed(known, found)) return false;
      // Nothing may be sent meanwhile, whether or not it can be kept.
      known = afterLoss(known, found);
      await keep(found);
      return true;
    },
    confirmRecovered: async () => {
      const data = { at: clock.wallMs() };
      await append('The record that losses are confirmed', confirmed, data);
      known = afterConfirmed(known, data);
      suspected = undefined;
    },
  };
}

function afterEvent(known: Known, { type, data }: ReadEvent): Known {
  if (type === confirmed) return afterConfirmed(known, data as { readonly at?: number });
  // Who was slow to note it meets the word of a person.
  const isNews = type === noted && !isConfirmed(known, data as Noted);
  return isNews ? afterLoss(known, data as Noted) : known;
}

/** What was read before stays what it is: it is not ready again before it is opened anew. */
function afterNews(known: Known, event: ReadEvent): Known {
  const after = afterEvent(known, event);
  const { condition } = known;
  const isOver = condition.kind === 'recovering' && after.condition.kind === 'ready';
  return isOver ? { ...after, condition: { ...condition, isConfirmed: true } } : after;
}

/** Positions behind the end are given again: only those before it are missing for good. */
function isGivenAgain({ first, head }: Noted): boolean {
  return first > head;
}

function isConfirmed({ confirmed: known, confirmedAt }: Known, loss: Noted): boolean {
  if (loss.recordedAt !== undefined) return loss.recordedAt <= confirmedAt;
  if (isGivenAgain(loss)) return false;
  return known.some(([first, last]) => first <= loss.first && loss.last <= last);
}

function afterLoss(known: Known, loss: Noted): Known {
  const { condition } = known;
  const before = condition.kind === 'recovering' ? condition : firstOf(loss);
  const lost = [...(before.lost ?? []), ...(isGivenAgain(loss) ? [] : [rangeOf(loss)])];
  const lostAt = earliest(before.lostAt, loss.recordedAt);
  return {
    ...known,
    condition: {
      ...before,
      mark: Math.max(before.mark, loss.last),
      ...(lost.length === 0 ? {} : { lost }),
      ...(lostAt === undefined ? {} : { lostAt }),
    },
  };
}

function firstOf({ reason, last: mark, head }: Noted): Recovering {
  return { kind: 'recovering', reason, mark, head };
}

function earliest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

function rangeOf({ first, last }: Noted): readonly [number, number] {
  return [first, last];
}

function afterConfirmed(known: Known, { at = 0 }: { readonly at?: number }): Known {
  const { condition, confirmedAt } = known;
  const lost = condition.kind === 'recovering' ? (condition.lost ?? []) : [];
  return {
    condition: { kind: 'ready' },
    confirmed: [...known.confirmed, ...lost],
    confirmedAt: Math.max(confirmedAt, at),
  };
}
