// A ledger's store over a protocol double of its own, for one test.
import { type EventStore, type NewEvent } from '@action-ledger/event-store';
import {
  type EventStoreDbDouble,
  type EventStoreDbDoubleOptions,
  openEventStoreDbDouble,
} from '@action-ledger/eventstoredb-double';
import { createSystemRuntime } from '@action-ledger/runtime';
import { type EventStoreDbOptions, openEventStoreDbEventStore } from '../src/index.ts';

export const runtime = createSystemRuntime();

export interface OnDouble {
  readonly store: EventStore;
  readonly double: EventStoreDbDouble;
}

type Options = Partial<EventStoreDbOptions> & Pick<EventStoreDbDoubleOptions, 'members'>;

/** For a test in which somebody waits in vain. Elsewhere a slow machine must not be taken for a dead server. */
export const impatient: Partial<EventStoreDbOptions> = { deadlineMs: 400 };

export function onDouble(
  test: (opened: OnDouble) => Promise<void>,
  options: Options = {},
): () => Promise<void> {
  return async () => {
    const { members, ...rest } = options;
    const double = await openEventStoreDbDouble({
      runtime,
      ...(members === undefined ? {} : { members }),
    });
    const { connectionString } = double;
    const store = await openEventStoreDbEventStore({
      connectionString,
      runtime,
      deadlineMs: 60_000,
      // What is read is counted by tests.
      lookMs: 3_600_000,
      ...rest,
    });
    try {
      await test({ store, double });
    } finally {
      await store.close();
      await double.close();
    }
  };
}

export function newEvent(content: Partial<NewEvent> = {}): NewEvent {
  return { id: runtime.ids.next(), type: 'ActionPlanned', data: '{}', metadata: '{}', ...content };
}

export async function idsIn(store: EventStore, stream: string): Promise<readonly string[]> {
  return (await store.readStream(stream)).map(({ id }) => id);
}
