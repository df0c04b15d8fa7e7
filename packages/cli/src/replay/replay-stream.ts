// `action-ledger replay STREAM`: reads a stream from its first event and shows the state after each.
// Reading history is all it does; nothing is sent, notified or written.
import { unsealEvent, type UnsealedEvent } from '@action-ledger/codec';
import {
  type Action,
  type ActionEvent,
  actionOfStream,
  type ChainPlace,
  evolve,
  evolveWorkflow,
  findChainBreak,
  ImpossibleEvent,
  ImpossibleWorkflowEvent,
  newAction,
  newWorkflow,
  type Workflow,
  type WorkflowEvent,
  workflowOfStream,
} from '@action-ledger/domain';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import { sha256 } from '../sha256.ts';

export interface ReplayedEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  readonly at: number;
  readonly type: string;
  readonly data: unknown;
  readonly by?: string;
  /** The whole state after it; undefined in a stream that is not an action's. */
  readonly action?: Action;
  /** The same in a stream of a workflow. */
  readonly workflow?: Workflow;
}

export interface Replay {
  readonly stream: string;
  readonly events: readonly ReplayedEvent[];
  /** Later than the time that was asked for. */
  readonly left: number;
  /** Where the record is damaged: what follows it was not replayed. */
  readonly broken?: { readonly revision: number; readonly reason: string };
}

export async function replayStream(
  store: EventStore,
  stream: string,
  untilMs = Infinity,
): Promise<Replay> {
  const recorded = await store.readStream(stream);
  const actionId = actionOfStream(stream);
  const events: ReplayedEvent[] = [];
  const workflowId = workflowOfStream(stream);
  let state: State = {
    ...(actionId === undefined ? {} : { action: newAction(actionId) }),
    ...(workflowId === undefined ? {} : { workflow: newWorkflow(workflowId) }),
  };
  let from: ChainPlace | undefined;
  for (const each of recorded) {
    const found = findChainBreak(sha256, stream, [each], from);
    if (found !== undefined) return broken(found.revision, found.what);
    const unsealed = unsealedOrWhy(each);
    if (typeof unsealed === 'string') return broken(each.revision, unsealed);
    if (unsealed.metadata.at > untilMs) break;
    try {
      state = evolved(state, unsealed);
    } catch (error) {
      if (!(error instanceof ImpossibleEvent || error instanceof ImpossibleWorkflowEvent))
        throw error;
      return broken(each.revision, error.message);
    }
    from = { revision: each.revision, hash: unsealed.metadata.hash };
    events.push(replayed(each, unsealed, state));
  }
  return { stream, events, left: recorded.length - events.length };

  function broken(revision: number, reason: string): Replay {
    const left = recorded.length - events.length;
    return { stream, events, left, broken: { revision, reason } };
  }
}

function unsealedOrWhy(recorded: RecordedEvent): UnsealedEvent | string {
  try {
    return unsealEvent(recorded);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return error.message;
  }
}

type State = Pick<ReplayedEvent, 'action' | 'workflow'>;

function evolved({ action, workflow }: State, unsealed: UnsealedEvent): State {
  const { event, metadata, revision } = unsealed;
  const place = { revision, at: metadata.at };
  if (action !== undefined)
    return { action: evolve(action, event as unknown as ActionEvent, place) };
  if (workflow === undefined) return {};
  return { workflow: evolveWorkflow(workflow, event as unknown as WorkflowEvent, place) };
}

function replayed(
  { stream, revision, position }: RecordedEvent,
  { event, metadata }: UnsealedEvent,
  state: State,
): ReplayedEvent {
  return {
    stream,
    revision,
    position,
    at: metadata.at,
    type: event.type,
    data: event.data,
    ...(metadata.by === undefined ? {} : { by: metadata.by }),
    ...state,
  };
}
