// The notifier: follows the events of the ledger and tells people of what waits for them, at least once,
// and never again for an event that is only read again. What is not told yet outlives the process.
import {
  type ConsumerLoop,
  createConsumer,
  type OnFault,
  type RecordStreamDeps,
  safeOnFault,
  type Service,
} from '@action-ledger/application';
import {
  actionTopics,
  eventPlaceOf,
  type EventLog,
  type LogRecord,
} from '@action-ledger/event-log';
import {
  type Courier,
  type CourierRules,
  createCourier,
  createNoticeBook,
  type Endpoint,
  type Errand,
  type GivenUp,
  mayBeCause,
  type NoticeBook,
  noticeIdOf,
  notificationOf,
} from '@action-ledger/notifications';
import { type Runtime } from '@action-ledger/runtime';

export interface NotifierDeps extends RecordStreamDeps {
  readonly log: EventLog;
  readonly runtime: Runtime;
  /** At least one; each has a name of its own. */
  readonly endpoints: readonly Endpoint[];
  readonly rules?: CourierRules;
  /** Of the consumers that share the work. Default `notifier`. */
  readonly group?: string;
  readonly onFault?: OnFault;
  /** Nobody was reached in the end. It is on record as such. */
  readonly onGivenUp?: (givenUp: Omit<GivenUp, 'at'>) => void;
}

export interface NotifierCounts {
  /** On their way. */
  readonly pending: number;
  /** Tries that failed, since the start of this process. */
  readonly failures: number;
  /** Ends since the start of this process. */
  readonly ended: Readonly<Record<'delivered' | 'dropped' | 'given up', number>>;
}

export interface Notifier extends Service {
  counts(): NotifierCounts;
  /** Nobody was reached: newest last, at most 1,000. */
  givenUp(): readonly GivenUp[];
}

/** Beyond so many on their way, no more events are read until there are fewer. */
const pendingMax = 10_000;

export function createNotifier(deps: NotifierDeps): Notifier {
  checkNames(deps.endpoints);
  const onFault = safeOnFault(deps.onFault);
  const book = createNoticeBook(deps);
  const ended = { delivered: 0, dropped: 0, 'given up': 0 };
  let courier: Courier | undefined;
  const consumer = createConsumer({
    log: deps.log,
    group: deps.group ?? 'notifier',
    topics: [actionTopics.events],
    runtime: deps.runtime,
    onFault,
    passesBy: (event) => !mayBeCause(event),
    handle: async (records) => {
      for (const record of records)
        await raise(deps, book, record, (errand) => courier?.take(errand));
      if ((courier?.size() ?? 0) >= pendingMax) consumer.pause();
    },
  });
  const begin = (): Courier =>
    createCourier({
      ...deps,
      onFault,
      stands: async ({ notification }) =>
        (await notificationOf(deps, notification.cause)) !== undefined,
      onEnd: async (errand, end) => {
        await book.end(errand, end);
        ended[end.kind] += 1;
        if (end.kind === 'given up') deps.onGivenUp?.({ ...errand, ...end });
        goOnWhenFewer(consumer, courier);
      },
    });
  return {
    start: async () => {
      const { pending } = await book.load();
      const mine = begin();
      courier = mine;
      try {
        await takeUp(deps, book, [...pending.values()], mine);
        await consumer.start();
      } catch (error) {
        await mine.stop();
        throw error;
      }
    },
    stop: async () => {
      await consumer.stop();
      await courier?.stop();
    },
    health: () => consumer.health(),
    counts: () => ({
      pending: book.state().pending.size,
      failures: courier?.failures() ?? 0,
      ended: { ...ended },
    }),
    givenUp: () => [...book.state().givenUp],
  };
}

function checkNames(endpoints: readonly Endpoint[]): void {
  const names = endpoints.map(({ name }) => name);
  if (names.length === 0) throw new Error('a notifier needs an endpoint');
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`two endpoints are named ${twice}`);
}

/** What a process before has left. */
async function takeUp(
  { endpoints }: NotifierDeps,
  book: NoticeBook,
  pending: readonly Errand[],
  courier: Courier,
): Promise<void> {
  for (const errand of pending) {
    if (endpoints.some(({ name }) => name === errand.endpoint)) courier.take(errand);
    else await book.end(errand, { kind: 'dropped', reason: 'its endpoint is configured no more' });
  }
}

async function raise(
  deps: NotifierDeps,
  book: NoticeBook,
  record: LogRecord,
  take: (errand: Errand) => void,
): Promise<void> {
  const place = eventPlaceOf(record);
  if (place === undefined || !mayBeCause(place)) return;
  if (book.isRaised(noticeIdOf(place.eventId))) return;
  const notification = await notificationOf(deps, place);
  if (notification === undefined) return;
  const wanting = deps.endpoints.filter(({ wants }) => wants(notification));
  if (wanting.length === 0) return;
  const raised = await book.raise(
    notification,
    wanting.map(({ name }) => name),
  );
  raised.forEach(take);
}

function goOnWhenFewer(consumer: ConsumerLoop, courier: Courier | undefined): void {
  if (consumer.health().condition === 'paused' && (courier?.size() ?? 0) < pendingMax / 2)
    consumer.resume();
}
