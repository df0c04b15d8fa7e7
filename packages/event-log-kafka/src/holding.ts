// What one consumer holds: its assignment, a lane for each partition of it, and the notices about both.
// Each time it joins its group it gets a generation of its own counting and new lanes, which begin where
// the group stands on the brokers; those before are lost, and what they still do is not committed.
import {
  type Assignment,
  type ConsumeOptions,
  type ConsumerFault,
  createNotices,
  type NewRecord,
  type Notices,
  type TopicPartition,
} from '@action-ledger/event-log';
import { type Runtime } from '@action-ledger/runtime';
import { type Arrival } from './inbox.ts';
import { type Lane, type Line, type Progress, startLane } from './lane.ts';
import { placeKey } from './names.ts';

export interface Holding {
  readonly assignment: () => Assignment;
  /** A generation begins. Its lanes take nothing before `begin`. */
  readonly assign: (partitions: readonly TopicPartition[], line: Line) => void;
  /** Of the generation of this number, if it is still the one. */
  readonly begin: (generation: number, starts: readonly Start[]) => void;
  /** Takes all partitions: what their handlers still do is not committed. */
  readonly revoke: () => void;
  /** False where the client must not go on behind it. */
  readonly arrived: (place: TopicPartition, arrival: Arrival, line: Line) => boolean;
  readonly progress: () => readonly Progress[];
  readonly setPaused: (isPaused: boolean) => void;
  /** Begins no further call; resolves when the running ones have ended and are committed. */
  readonly end: () => Promise<void>;
  readonly fault: (fault: ConsumerFault) => void;
  /** Tells nothing from now on. */
  readonly mute: () => void;
}

export interface Start extends TopicPartition {
  readonly offset: number;
}

export interface HoldingParts {
  readonly options: ConsumeOptions;
  readonly runtime: Pick<Runtime, 'timers' | 'clock'>;
  readonly closeMs: number;
  readonly closing: AbortController;
  readonly publishDeadLetter: (record: NewRecord) => Promise<void>;
}

interface State {
  assignment: Assignment;
  lanes: Map<string, Lane>;
  /** By partition: when the last lane of it has ended. */
  readonly ends: Map<string, Promise<void>>;
  line: Line | undefined;
  isPaused: boolean;
}

export function createHolding(parts: HoldingParts): Holding {
  const notices = createNotices(parts.options);
  const state: State = {
    assignment: { generation: 0, partitions: [] },
    lanes: new Map(),
    ends: new Map(),
    line: undefined,
    isPaused: false,
  };
  const revoke = (): void => {
    revokeAll(state, notices);
  };
  return {
    assignment: () => state.assignment,
    assign: (partitions, line) => {
      revoke();
      // Until its lane has begun, and for good where it is closing.
      line.hold(partitions, true);
      if (parts.closing.signal.aborted) return;
      const generation = state.assignment.generation + 1;
      state.assignment = { generation, partitions };
      state.line = line;
      for (const place of partitions) start(parts, state, notices, place, line);
      notices.assigned(state.assignment);
    },
    begin: (generation, starts) => {
      if (generation !== state.assignment.generation) return;
      for (const place of starts) state.lanes.get(placeKey(place))?.begin(place.offset);
    },
    revoke,
    arrived: (place, arrival, line) => {
      const lane = state.lanes.get(placeKey(place));
      if (lane === undefined) line.hold([place], true);
      return lane?.arrived(arrival) ?? false;
    },
    progress: () => [...state.lanes.values()].map((lane) => lane.progress()),
    setPaused: (isPaused) => {
      state.isPaused = isPaused;
      for (const lane of state.lanes.values()) lane.wake();
    },
    end: async () => {
      parts.closing.abort();
      state.line?.hold(state.assignment.partitions, true);
      await Promise.all(state.ends.values());
      revoke();
    },
    fault: notices.fault,
    mute: notices.mute,
  };
}

function start(
  parts: HoldingParts,
  state: State,
  notices: Notices,
  place: TopicPartition,
  line: Line,
): void {
  const key = placeKey(place);
  const lane = startLane({
    ...parts,
    place: { ...place, generation: state.assignment.generation },
    line,
    closing: parts.closing.signal,
    isPaused: () => state.isPaused,
    onFault: notices.fault,
    after: state.ends.get(key),
  });
  state.lanes.set(key, lane);
  state.ends.set(key, lane.ended);
}

function revokeAll(state: State, notices: Notices): void {
  const revoked = state.assignment;
  const taken = state.lanes;
  state.assignment = { generation: revoked.generation, partitions: [] };
  state.lanes = new Map();
  for (const lane of taken.values()) lane.lose();
  if (revoked.partitions.length > 0) notices.revoked(revoked);
}
