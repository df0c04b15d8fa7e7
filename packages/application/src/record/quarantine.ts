// A stream that does not hold together is not acted on: it has an incident in `quarantine-<id>`, with
// an owner, where outcomes and evidence for it are appended (DESIGN.md section 6).
import { sealEvents, unsealEvent } from '@action-ledger/codec';
import {
  canonicalJson,
  chainStart,
  type EventData,
  isSameReport,
  type Sha256,
} from '@action-ledger/domain';
import { type EventStore, type RecordedEvent, StoreFault } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { appendOnce } from './append.ts';
import { type LedgerClock } from '../core/ledger-clock.ts';

export interface Quarantine {
  /** Idempotent: one incident per stream. */
  open(actionId: string, reason: string): Promise<void>;
  /**
   * Once, however often it is said.
   * @returns `full` where so much was said from outside that no more is taken
   * @throws StoreFault
   */
  record(
    actionId: string,
    said: EventData['EvidenceRecorded'],
    from: 'here' | 'outside',
  ): Promise<'kept' | 'full'>;
  /** Another core has found it broken: whatever its incident says holds here too. */
  learn(actionId: string): Promise<void>;
  /** Why nothing in it runs; undefined where it is not quarantined. */
  whyQuarantined(actionId: string): string | undefined;
}

export interface QuarantineDeps {
  readonly store: EventStore;
  readonly sha256: Sha256;
  readonly clock: LedgerClock;
  readonly runtime: Runtime;
  /** Once per stream and process: an owner who is not told is nobody. */
  readonly onOpened: (actionId: string, reason: string) => void;
}

const operatorLooksAfterMs = 24 * 3_600_000;
const appendRoundsMax = 8;
/** What is taken from outside about one action: reports, and UTF-16 units of them together. */
const reportsMax = 1_000;
const reportsSizeMax = 4 * 1024 * 1024;

const streamPrefix = 'quarantine-';

export function quarantineStream(actionId: string): string {
  return `${streamPrefix}${actionId}`;
}

/** Undefined where the stream is none of a quarantine. */
export function actionOfQuarantine(stream: string): string | undefined {
  return stream.startsWith(streamPrefix) ? stream.slice(streamPrefix.length) : undefined;
}

export function createQuarantine(deps: QuarantineDeps): Quarantine {
  const reasons = new Map<string, string>();
  return {
    whyQuarantined: (actionId) => reasons.get(actionId),
    open: async (actionId, reason) => {
      if (reasons.has(actionId)) return;
      reasons.set(actionId, reason);
      const nextCheckAt = deps.clock.nowMs() + operatorLooksAfterMs;
      const data = { incident: 'broken-stream', reason, owner: 'operator', nextCheckAt };
      deps.onOpened(actionId, reason);
      const opened = { type: 'IncidentOpened', data };
      await append(deps, actionId, (stored) => (stored.length > 0 ? undefined : opened));
    },
    learn: async (actionId) => {
      if (reasons.has(actionId)) return;
      const [first] = await deps.store.readStream(quarantineStream(actionId));
      if (first !== undefined) reasons.set(actionId, reasonIn(first));
    },
    record: async (actionId, said, from) => {
      const isFull = { now: false };
      await append(deps, actionId, (stored) => {
        const known = stored.filter(({ type }) => type === 'EvidenceRecorded');
        if (known.some((each) => isSameReport(saidIn(each), said))) return undefined;
        isFull.now = from === 'outside' && isTooMuch(known, said);
        return isFull.now ? undefined : { type: 'EvidenceRecorded', data: said };
      });
      return isFull.now ? 'full' : 'kept';
    },
  };
}

function saidIn(recorded: RecordedEvent): EventData['EvidenceRecorded'] {
  return unsealEvent(recorded).event.data as unknown as EventData['EvidenceRecorded'];
}

function isTooMuch(known: readonly RecordedEvent[], said: EventData['EvidenceRecorded']): boolean {
  const size = known.reduce((sum, { data }) => sum + data.length, 0);
  const more = canonicalJson(said).length;
  return known.length >= reportsMax || size + more > reportsSizeMax;
}

function reasonIn(opened: RecordedEvent): string {
  const { reason } = unsealEvent(opened).event.data as { readonly reason?: unknown };
  return typeof reason === 'string' ? reason : 'its record is damaged';
}

interface NewEvent {
  readonly type: string;
  readonly data: object;
}

async function append(
  deps: QuarantineDeps,
  actionId: string,
  decide: (stored: readonly RecordedEvent[]) => NewEvent | undefined,
): Promise<void> {
  const { store, sha256, clock, runtime } = deps;
  const stream = quarantineStream(actionId);
  for (let round = 0; round < appendRoundsMax; round += 1) {
    const stored = await store.readStream(stream);
    const event = decide(stored);
    if (event === undefined) return;
    const last = stored.at(-1);
    const previous = last === undefined ? chainStart(stream) : unsealEvent(last).metadata.hash;
    const context = { sha256, nextId: () => runtime.ids.next(), at: clock.nowMs() };
    const { events } = sealEvents(context, previous, [event]);
    const expected = last === undefined ? 'no stream' : last.revision;
    const appended = await appendOnce(store, runtime.timers, stream, expected, events);
    if (appended.kind === 'appended') return;
  }
  throw new StoreFault(
    'store.unavailable',
    'safe',
    `Others wrote to ${stream} ${appendRoundsMax} times in a row. Try again.`,
  );
}
