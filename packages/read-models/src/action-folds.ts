// Follows actions through events of all streams. States of actions that may still move are kept, as
// far as the bound allows; any other is folded again from its stream when an event asks for it.
// What does not continue a stream (a damaged or impossible event, and all after it) is passed over:
// whoever loads that stream finds it broken.
import { unsealActionEvent } from '@action-ledger/codec';
import {
  type Action,
  actionOfStream,
  evolve,
  ImpossibleEvent,
  isOpen,
  newAction,
  streamOfAction,
} from '@action-ledger/domain';
import { type EventStore, type RecordedEvent, StoreFault } from '@action-ledger/event-store';

export interface FoldedAction {
  /** The position of its first event. */
  readonly position: number;
  readonly action: Action;
}

export interface ActionFolds {
  /** The actions that these events move, each once, as they stand after the last of them. */
  apply(events: readonly RecordedEvent[]): Promise<readonly FoldedAction[]>;
  /** The next events need not follow the last ones. */
  forget(): void;
}

interface Held {
  readonly position: number;
  /** Characters of its events: what it may cost to hold. */
  size: number;
  action: Action;
}

const heldCharactersMax = 16 * 1024 * 1024;

export function createActionFolds(store: Pick<EventStore, 'readStream'>): ActionFolds {
  const held = new Map<string, Held>();
  let characters = 0;

  const drop = (actionId: string, { size }: Held): void => {
    held.delete(actionId);
    characters -= size;
  };
  const find = async (
    actionId: string,
    event: RecordedEvent,
    through: number,
  ): Promise<Held | undefined> => {
    const known = held.get(actionId);
    if (known !== undefined) return known;
    const found =
      event.revision === 0
        ? { position: event.position, size: 0, action: newAction(actionId) }
        : foldStream(actionId, await readStream(store, event.stream), through);
    if (found !== undefined) {
      held.set(actionId, found);
      characters += found.size;
    }
    return found;
  };
  const trim = (moved: ReadonlyMap<string, Held>): void => {
    for (const [actionId, each] of moved) if (!isOpen(each.action)) drop(actionId, each);
    for (const [actionId, each] of held) {
      if (characters <= heldCharactersMax) break;
      drop(actionId, each);
    }
  };

  return {
    apply: async (events) => {
      const through = events.at(-1)?.position ?? 0;
      const moved = new Map<string, Held>();
      for (const event of events) {
        const actionId = actionOfStream(event.stream);
        if (actionId === undefined) continue;
        const known = held.get(actionId) ?? (await find(actionId, event, through));
        if (known === undefined) continue;
        // A state folded from its stream just now is ahead of the events in hand.
        if (event.revision > known.action.revision) {
          const before = known.size;
          step(known, event);
          characters += known.size - before;
        }
        if (known.action.revision >= event.revision) moved.set(actionId, known);
      }
      trim(moved);
      return [...moved.values()];
    },
    forget: () => {
      held.clear();
      characters = 0;
    },
  };
}

/** As far as its events can be folded, those after the position `through` left out. */
export async function foldThrough(
  store: Pick<EventStore, 'readStream'>,
  actionId: string,
  through: number,
): Promise<Action> {
  const events = await readStream(store, streamOfAction(actionId));
  return foldStream(actionId, events, through)?.action ?? newAction(actionId);
}

function foldStream(
  actionId: string,
  events: readonly RecordedEvent[],
  through: number,
): Held | undefined {
  const first = events[0];
  if (first?.revision !== 0) return undefined;
  const found = { position: first.position, size: 0, action: newAction(actionId) };
  for (const event of events) if (event.position <= through) step(found, event);
  return found;
}

function step(held: Held, recorded: RecordedEvent): void {
  if (recorded.revision !== held.action.revision + 1) return;
  try {
    const { event, metadata, revision } = unsealActionEvent(recorded);
    held.action = evolve(held.action, event, { revision, at: metadata.at });
    held.size += recorded.data.length;
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
}

/** A text that is no JSON, an event that cannot follow, or one whose data lacks what it must hold. */
function isDamage(error: unknown): boolean {
  return (
    error instanceof ImpossibleEvent || error instanceof SyntaxError || error instanceof TypeError
  );
}

async function readStream(
  store: Pick<EventStore, 'readStream'>,
  stream: string,
): Promise<readonly RecordedEvent[]> {
  try {
    return await store.readStream(stream);
  } catch (error) {
    if (error instanceof StoreFault && error.code === 'store.corrupt') return [];
    throw error;
  }
}
