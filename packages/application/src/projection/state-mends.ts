// Asking for states to be written once more. The topic of states has one writer, the projector; whoever
// finds a state that is not what its stream says asks for it in a stream of the store, which the projector
// follows like all others: so it is done once it is on record, whoever projects by then.
import { type RecordedEvent } from '@action-ledger/event-store';
import { createRecordStream, type RecordStreamDeps } from '../record/record-stream.ts';

export const stateMendsStream = 'state-mends';

const asked = 'StateMendAsked';

/** In one event. */
export const actionsPerMendMax = 500;

export interface StateMends {
  /** On record when it resolves. @throws StoreFault */
  ask(actionIds: readonly string[]): Promise<void>;
}

export function createStateMends(deps: RecordStreamDeps): StateMends {
  const stream = createRecordStream<undefined>(deps, {
    stream: stateMendsStream,
    initial: undefined,
    evolve: () => undefined,
  });
  return {
    ask: async (actionIds) => {
      for (let first = 0; first < actionIds.length; first += actionsPerMendMax) {
        const actions = actionIds.slice(first, first + actionsPerMendMax);
        await stream.change('auditor', () => [{ type: asked, data: { actions } }]);
      }
    },
  };
}

/** The actions whose states this event asks for; none where it is another kind of event. */
export function mendsAskedIn({
  stream,
  type,
  data,
}: Pick<RecordedEvent, 'stream' | 'type' | 'data'>): readonly string[] {
  if (stream !== stateMendsStream || type !== asked) return [];
  try {
    const { actions } = JSON.parse(data) as { readonly actions?: unknown };
    return Array.isArray(actions) ? actions.filter((each) => typeof each === 'string') : [];
  } catch {
    return [];
  }
}
