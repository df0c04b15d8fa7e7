// Whose stream an event is in: of an action by its state, of a workflow by the event that started it.
import { type Action, workflowOfStream } from '@action-ledger/domain';
import { type EventStore, type RecordedEvent, StoreFault } from '@action-ledger/event-store';

export interface Tenants {
  /** Undefined where the stream does not say it. @throws StoreFault */
  readonly of: (event: RecordedEvent, state: Action | undefined) => Promise<string | undefined>;
}

const workflowsMax = 20_000;

export function createTenants({
  store,
}: {
  readonly store: Pick<EventStore, 'readStream'>;
}): Tenants {
  const known = new Map<string, string>();
  const ofWorkflow = async (event: RecordedEvent): Promise<string | undefined> => {
    const { stream } = event;
    const tenant = known.get(stream) ?? tenantIn(await startOf(store, event));
    known.delete(stream);
    if (tenant !== undefined) known.set(stream, tenant);
    const [oldest] = known.keys();
    if (known.size > workflowsMax && oldest !== undefined) known.delete(oldest);
    return tenant;
  };
  return {
    of: async (event, state) => {
      if (state !== undefined) return state.tenant === '' ? undefined : state.tenant;
      return workflowOfStream(event.stream) === undefined ? undefined : ofWorkflow(event);
    },
  };
}

async function startOf(
  store: Pick<EventStore, 'readStream'>,
  event: RecordedEvent,
): Promise<RecordedEvent | undefined> {
  if (event.revision === 0) return event;
  try {
    const [first] = await store.readStream(event.stream);
    return first;
  } catch (fault) {
    if (fault instanceof StoreFault && fault.code === 'store.corrupt') return undefined;
    throw fault;
  }
}

function tenantIn(first: RecordedEvent | undefined): string | undefined {
  if (first === undefined) return undefined;
  try {
    const { tenant } = JSON.parse(first.data) as { readonly tenant?: unknown };
    return typeof tenant === 'string' ? tenant : undefined;
  } catch {
    return undefined;
  }
}
