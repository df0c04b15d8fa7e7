// Follows actions through events of all streams. States of actions that may still move are kept, as
// far as the bound allows; any other is folded again from its stream when an event asks for it.
// What does not continue a stream (a damaged or impossible event, and all after it) is passed over:
// whoever loads that stream finds it broken.
import { createUnsealer } from '@action-ledger/codec';
import {
  type Action,
  actionOfStream,
  type EventData,
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
  /** By stream. */
  const held = new Map<string, Held>();
  const unseal = createUnsealer();
  let characters = 0;

  const drop = (stream: string, { size }: Held): void => {
    held.delete(stream);
    characters -= size;
  };
  const hold = (stream: string, found: Held): Held => {
    held.set(stream, found);
    characters += found.size;
    return found;
  };
  /** Without a wait where the stream begins with the event. */
  const find = (
    { stream, position, revision }: RecordedEvent,
    through: number,
  ): Held | undefined | Promise<Held | undefined> => {
    const known = held.get(stream);
    if (known !== undefined) return known;
    const actionId = actionOfStream(stream);
    if (actionId === undefined) return undefined;
    if (revision === 0) return hold(stream, { position, size: 0, action: newAction(actionId) });
    return readStream(store, stream).then((events) => {
      const found = foldStream(actionId, events, through);
      return found && hold(stream, found);
    });
  };
  const trim = (moved: ReadonlyMap<string, Held>): void => {
    for (const [stream, each] of moved) if (!isOpen(each.action)) drop(stream, each);
    for (const [stream, each] of held) {
      if (characters <= heldCharactersMax) break;
      drop(stream, each);
    }
  };

  return {
    apply: async (events) => {
      const through = events.at(-1)?.position ?? 0;
      const moved = new Map<string, Held>();
      for (const event of events) {
        const found = find(event, through);
        const known = found instanceof Promise ? await found : found;
        if (known === undefined) continue;
        // A state folded from its stream just now is ahead of the events in hand.
        if (event.revision > known.action.revision) {
          const before = known.size;
          step(known, event, unseal);
          characters += known.size - before;
        }
        if (known.action.revision >= event.revision) moved.set(event.stream, known);
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
  const position = firstPosition(events[0]);
  if (position === undefined) return undefined;
  const found = { position, size: 0, action: newAction(actionId) };
  const unseal = createUnsealer();
  for (const event of events) if (event.position <= through) step(found, event, unseal);
  return found;
}

/** Of the action's first event, also where that was archived; undefined where a stream cannot begin so. */
function firstPosition(first: RecordedEvent | undefined): number | undefined {
  if (first === undefined || first.revision === 0) return first?.position;
  if (first.type !== 'ActionArchived') return undefined;
  try {
    const { position } = JSON.parse(first.data) as Partial<EventData['ActionArchived']>;
    return typeof position === 'number' ? position : undefined;
  } catch {
    return undefined;
  }
}

function step(
  held: Held,
  recorded: RecordedEvent,
  unseal: ReturnType<typeof createUnsealer>,
): void {
  const { revision, type } = recorded;
  const { action } = held;
  const isNext = revision === action.revision + 1;
  // What is missing before it was archived meanwhile, and it says what that led to.
  const isMarker = type === 'ActionArchived' && revision > action.revision;
  if (!isNext && !isMarker) return;
  try {
    const { event, at } = unseal(recorded);
    held.action = evolve(isNext ? action : newAction(action.id), event, { revision, at });
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

/** Empty where it cannot be read. */
export async function readStream(
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
