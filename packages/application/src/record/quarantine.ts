// A stream that does not hold together is not acted on: it has an incident in `quarantine-<id>`, with
// an owner, where outcomes and evidence for it are appended (DESIGN.md section 6).
import { sealEvents, unsealEvent } from '@action-ledger/codec';
import { chainStart, type JsonValue, type Sha256 } from '@action-ledger/domain';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { appendOnce } from './append.ts';
import { type LedgerClock } from '../core/ledger-clock.ts';

export interface Quarantine {
  /** Idempotent: one incident per stream. */
  open(actionId: string, reason: string): Promise<void>;
  record(actionId: string, source: string, data: JsonValue): Promise<void>;
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
      await append(deps, actionId, { type: 'IncidentOpened', data }, true);
    },
    learn: async (actionId) => {
      if (reasons.has(actionId)) return;
      const [first] = await deps.store.readStream(quarantineStream(actionId));
      if (first !== undefined) reasons.set(actionId, reasonIn(first));
    },
    record: (actionId, source, data) =>
      append(
        deps,
        actionId,
        { type: 'EvidenceRecorded', data: { source, claims: 'note', data } },
        false,
      ),
  };
}

function reasonIn(opened: RecordedEvent): string {
  const { reason } = unsealEvent(opened).event.data as { readonly reason?: unknown };
  return typeof reason === 'string' ? reason : 'its record is damaged';
}

async function append(
  deps: QuarantineDeps,
  actionId: string,
  event: { readonly type: string; readonly data: object },
  onlyFirst: boolean,
): Promise<void> {
  const { store, sha256, clock, runtime } = deps;
  const stream = quarantineStream(actionId);
  for (let round = 0; round < appendRoundsMax; round += 1) {
    const stored = await store.readStream(stream);
    const last = stored.at(-1);
    if (last !== undefined && onlyFirst) return;
    const previous = last === undefined ? chainStart(stream) : unsealEvent(last).metadata.hash;
    const context = { sha256, nextId: () => runtime.ids.next(), at: clock.nowMs() };
    const { events } = sealEvents(context, previous, [event]);
    const expected = last === undefined ? 'no stream' : last.revision;
    const appended = await appendOnce(store, runtime.timers, stream, expected, events);
    if (appended.kind === 'appended') return;
  }
}
