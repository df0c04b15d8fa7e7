// An event of an action as a server-sent event, written once for everybody who follows its tenant.
import { unsealEvent } from '@action-ledger/codec';
import { actionOfStream } from '@action-ledger/domain';
import { type RecordedEvent } from '@action-ledger/event-store';
import { shownData } from '../answers/shown-data.ts';
import { type LedgerDoor } from '../ledger-door.ts';

export interface Frame {
  readonly tenant: string;
  readonly position: number;
  readonly text: string;
}

export interface Framer {
  /** In order; what belongs to no action, or to nobody who is known, is left out. */
  frames(events: readonly RecordedEvent[]): Promise<readonly Frame[]>;
}

/** Tenants of recent actions; of others, the ledger is asked. */
const tenantsMax = 50_000;

export function createFramer(ledger: Pick<LedgerDoor, 'load'>): Framer {
  const tenants = new Map<string, string>();
  const keep = (actionId: string, tenant: string): void => {
    tenants.delete(actionId);
    tenants.set(actionId, tenant);
    const [oldest] = tenants.keys();
    if (tenants.size > tenantsMax && oldest !== undefined) tenants.delete(oldest);
  };
  const tenantOf = async (actionId: string, planned: unknown): Promise<string | undefined> => {
    const known = typeof planned === 'string' ? planned : tenants.get(actionId);
    if (known !== undefined) {
      keep(actionId, known);
      return known;
    }
    const loaded = await ledger.load(actionId);
    if (loaded.kind === 'broken' || loaded.action.tenant === '') return undefined;
    keep(actionId, loaded.action.tenant);
    return loaded.action.tenant;
  };
  return {
    frames: async (events) => {
      const frames: Frame[] = [];
      for (const recorded of events) {
        const actionId = actionOfStream(recorded.stream);
        const unsealed = actionId === undefined ? undefined : readable(recorded);
        if (actionId === undefined || unsealed === undefined) continue;
        const planned =
          recorded.type === 'ActionPlanned' ? unsealed.event.data['tenant'] : undefined;
        const tenant = await tenantOf(actionId, planned);
        if (tenant === undefined) continue;
        frames.push({ tenant, position: recorded.position, text: textOf(actionId, unsealed) });
      }
      return frames;
    },
  };
}

type Unsealed = ReturnType<typeof unsealEvent>;

/** Nothing where the stored text is damaged: that is `verify`'s to tell. */
function readable(recorded: RecordedEvent): Unsealed | undefined {
  try {
    return unsealEvent(recorded);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function textOf(action: string, { event, metadata, revision, position }: Unsealed): string {
  const { at, by } = metadata;
  const said = {
    position,
    action,
    revision,
    type: event.type,
    at,
    ...(by === undefined ? {} : { by }),
    data: shownData(event.type, event.data),
  };
  // JSON escapes line ends, so that the data is one line.
  return `id: ${position}\nevent: ${event.type}\ndata: ${JSON.stringify(said)}\n\n`;
}
