// What was told to whom, in a stream of the ledger (`notices`): whatever is read again, after a reset, a
// rebuild or a restart, is told once. A notification is on record before it is sent and its end after, so
// that a crash between them sends it again, and none is lost.
import { sealEvents, unsealEvent } from '@action-ledger/codec';
import { appendOnce, type RecordStreamDeps, type StreamRecord } from '@action-ledger/application';
import { chainStart, findChainBreak, type JsonObject } from '@action-ledger/domain';
import { StoreFault } from '@action-ledger/event-store';
import { type Notification } from './notification.ts';

export const noticeStream = 'notices';

/** One notification on its way to one endpoint. */
export interface Errand {
  readonly notification: Notification;
  readonly endpoint: string;
}

export type ErrandEnd =
  | { readonly kind: 'delivered'; readonly tries: number }
  /** Its cause was dealt with, or its endpoint is configured no more. */
  | { readonly kind: 'dropped'; readonly reason: string }
  | { readonly kind: 'given up'; readonly tries: number; readonly reason: string };

export interface GivenUp extends Errand {
  readonly at: number;
  readonly tries: number;
  readonly reason: string;
}

export interface NoticeState {
  /** Ids of all that were ever raised. */
  readonly known: ReadonlySet<string>;
  /** By notification and endpoint. */
  readonly pending: ReadonlyMap<string, Errand>;
  /** The newest, at most 1,000. */
  readonly givenUp: readonly GivenUp[];
}

export interface NoticeBook {
  /** As the stream holds it. @throws StoreFault */
  load(): Promise<NoticeState>;
  /** As last seen here. */
  state(): NoticeState;
  /** Nothing more is to be done to have it told: it is on record, and was taken up by who put it there. */
  isRaised(id: string): boolean;
  /**
   * Puts on record what is not there yet.
   * @returns what is to be told by the caller: put there by this call, or by one of before that failed
   *   without knowing whether it had
   * @throws StoreFault
   */
  raise(notification: Notification, endpoints: readonly string[]): Promise<readonly Errand[]>;
  /** Nothing where it has ended before. @throws StoreFault */
  end(errand: Errand, end: ErrandEnd): Promise<void>;
}

const roundsMax = 16;
const givenUpMax = 1_000;

export function createNoticeBook(deps: RecordStreamDeps): NoticeBook {
  const { store, sha256, clock, runtime } = deps;
  const fold = createNoticeFold();
  let last = { revision: -1, hash: chainStart(noticeStream) };
  const inTurn = createTurns();
  /** Being put on record; what stays has failed, and may be there all the same. */
  const unclear = new Set<string>();

  const catchUp = async (): Promise<void> => {
    const events = await store.readStream(noticeStream, last.revision + 1);
    const found = findChainBreak(sha256, noticeStream, events, last);
    if (found !== undefined) throw broken(found);
    for (const recorded of events) {
      const { event, metadata, revision } = unsealEvent(recorded);
      fold.add(event, metadata.at);
      last = { revision, hash: metadata.hash };
    }
  };
  const append = async (decide: () => readonly StreamRecord[]): Promise<boolean> => {
    for (let round = 0; round < roundsMax; round += 1) {
      const decided = decide();
      if (decided.length === 0) return false;
      const at = clock.nowMs();
      const context = { sha256, nextId: () => runtime.ids.next(), at };
      const { events } = sealEvents(context, last.hash, decided);
      const expected = last.revision < 0 ? 'no stream' : last.revision;
      const appended = await appendOnce(store, runtime.timers, noticeStream, expected, events);
      await catchUp();
      if (appended.kind === 'appended') return true;
    }
    throw new StoreFault(
      'store.unavailable',
      'safe',
      `Others changed ${noticeStream} all the time.`,
    );
  };

  return {
    load: () =>
      inTurn(async () => {
        await catchUp();
        return fold.state;
      }),
    state: () => fold.state,
    isRaised: (id) => fold.state.known.has(id) && !unclear.has(id),
    raise: (notification, endpoints) =>
      inTurn(async () => {
        const { id } = notification;
        const wasUnclear = unclear.has(id);
        unclear.add(id);
        const isNew = await append(() =>
          fold.state.known.has(id) ? [] : [raised(notification, endpoints)],
        );
        unclear.delete(id);
        if (!isNew && !wasUnclear) return [];
        return pendingOf(fold.state, id);
      }),
    end: (errand, end) =>
      inTurn(async () => {
        await append(() => (fold.state.pending.has(keyOf(errand)) ? [ended(errand, end)] : []));
      }),
  };
}

/** One change after another: each is decided on what the one before has left. */
function createTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let turn: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = turn.then(work, work);
    turn = mine.catch(() => undefined);
    return mine;
  };
}

function pendingOf({ pending }: NoticeState, id: string): readonly Errand[] {
  return [...pending.values()].filter(({ notification }) => notification.id === id);
}

function raised(notification: Notification, endpoints: readonly string[]): StreamRecord {
  return { type: 'NoticeRaised', data: { ...notification, endpoints } as unknown as JsonObject };
}

const endTypes = {
  delivered: 'NoticeDelivered',
  dropped: 'NoticeDropped',
  'given up': 'NoticeGivenUp',
} as const;

function ended({ notification, endpoint }: Errand, { kind, ...facts }: ErrandEnd): StreamRecord {
  return { type: endTypes[kind], data: { notice: notification.id, endpoint, ...facts } };
}

interface NoticeFold {
  readonly state: NoticeState;
  readonly add: (record: StreamRecord, at: number) => void;
}

/** Changed in place: the stream is long, and each event touches one entry. */
export function createNoticeFold(): NoticeFold {
  const known = new Set<string>();
  const pending = new Map<string, Errand>();
  const givenUp: GivenUp[] = [];
  return {
    state: { known, pending, givenUp },
    add: ({ type, data }, at) => {
      if (type === 'NoticeRaised') {
        const { endpoints, ...notification } = data as unknown as Notification & {
          readonly endpoints: readonly string[];
        };
        known.add(notification.id);
        for (const endpoint of endpoints) {
          const errand = { notification, endpoint };
          pending.set(keyOf(errand), errand);
        }
        return;
      }
      const { notice, endpoint } = data as { readonly notice: string; readonly endpoint: string };
      const errand = pending.get(JSON.stringify([notice, endpoint]));
      if (errand === undefined) return;
      pending.delete(keyOf(errand));
      if (type !== 'NoticeGivenUp') return;
      const { tries, reason } = data as { readonly tries: number; readonly reason: string };
      givenUp.push({ ...errand, at, tries, reason });
      if (givenUp.length > givenUpMax) givenUp.shift();
    },
  };
}

function keyOf({ notification, endpoint }: Errand): string {
  return JSON.stringify([notification.id, endpoint]);
}

function broken({
  revision,
  what,
}: {
  readonly revision: number;
  readonly what: string;
}): StoreFault {
  const message = `Stream ${noticeStream} does not hold together: revision ${revision}: ${what}. Compare it with a backup.`;
  return new StoreFault('store.corrupt', 'never', message, { detail: { revision } });
}
