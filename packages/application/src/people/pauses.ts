// What takes no new proposals for now: everything, one tenant, one tool, or one tool of one tenant
// (DESIGN.md section 8). Pauses are events with an author and a reason, in a stream of their own, and
// outlive the process. Asked on every call, so it is answered from memory; what another process paused
// is seen with the next refresh.
import { type JsonObject, refusal, type Refusal } from '@action-ledger/domain';
import { StoreFault } from '@action-ledger/event-store';
import {
  createRecordStream,
  type DatedRecord,
  type RecordStreamDeps,
  type RecordStreamShape,
} from '../record/record-stream.ts';

/** Neither named: everything. */
export interface PauseScope {
  readonly tenant?: string;
  readonly tool?: string;
}

/** A tool for every tenant, or what one tenant has under that name. */
export interface ToolScope extends PauseScope {
  readonly tool: string;
}

/** Whose outcome is not known. */
export interface UnknownOf {
  readonly tenant: string;
  readonly tool: string;
  /** One tool of all tenants, and not what the tenant's callers have under that name. */
  readonly isShared: boolean;
}

export interface Pause extends PauseScope {
  readonly reason: string;
  readonly by: string;
  /** Wall-clock ms since the epoch. */
  readonly at: number;
  /** Of the record of pauses, when it began: whoever ends it names the one that they saw. */
  readonly revision: number;
}

export interface PauseRequest extends PauseScope {
  readonly by: string;
  readonly reason: string;
}

export interface ResumeRequest extends PauseRequest {
  /** The `revision` of the pause that its author saw. */
  readonly revisionSeen: number;
}

export const pauseRefusalCodes = ['pause.none', 'pause.stale', 'pause.too-many'] as const;

export type PauseRefusalCode = (typeof pauseRefusalCodes)[number];

export interface Pauses {
  /** A sentence for whoever is refused; undefined where nothing is paused. */
  why(tenant: string, tool: string): string | undefined;
  /** Oldest first. */
  list(): readonly Pause[];
  /** Said again of the same scope, the first one stands. @throws StoreFault */
  pause(request: PauseRequest): Promise<Pause | Refusal<PauseRefusalCode>>;
  /** @returns the pause that has ended. @throws StoreFault */
  resume(request: ResumeRequest): Promise<Pause | Refusal<PauseRefusalCode>>;
  /**
   * Reads what others have paused or resumed; where the record of it is damaged, everything is paused.
   * @throws StoreFault
   */
  refresh(): Promise<void>;
  /** Told whenever other things are paused than before, by whomever. One at a time. */
  onChanged(listener: () => void): void;
}

/** By scope, in the order in which they began. */
type Scopes = ReadonlyMap<string, Pause>;

const pausesMax = 1_000;
const unreadable = 'the record of pauses is damaged; action-ledger verify says what is wrong';

export const pauseStreamName = 'pauses';

const pauseStream: RecordStreamShape<Scopes> = {
  stream: pauseStreamName,
  initial: new Map(),
  evolve: (pauses, record) => {
    const next = new Map(pauses);
    if (record.type === 'LedgerPaused') {
      const pause = pauseOf(record);
      next.set(keyOf(pause), pause);
    } else if (record.type === 'LedgerResumed') next.delete(keyOf(pauseOf(record)));
    return next;
  },
};

/** A pause that has ended, by whom and why. */
export interface PauseEnd {
  readonly pause: Pause;
  readonly by: string;
  readonly reason: string;
}

function whyIn(pauses: Scopes, tenant: string, tool: string): string | undefined {
  const found = scopesOf(tenant, tool).map((scope) => pauses.get(keyOf(scope)));
  const pause = found.find((each) => each !== undefined);
  return pause === undefined ? undefined : sentence(pause);
}

/**
 * @param onPaused each pause that begins by a request to this process
 * @param onResumed each that ends so
 */
export function createPauses(
  deps: RecordStreamDeps,
  onPaused: (pause: Pause) => void,
  onResumed?: (end: PauseEnd) => void,
): Pauses {
  const stream = createRecordStream(deps, pauseStream);
  const { now, become, onChanged } = createKnownScopes();
  return {
    why: (tenant, tool) => (now().size === 0 ? undefined : whyIn(now(), tenant, tool)),
    list: () => [...now().values()],
    pause: async ({ by, reason, ...scope }) => {
      const key = keyOf(scope);
      const found: { earlier?: Pause | undefined } = {};
      const changed = await stream.change(by, (current) => {
        found.earlier = current.get(key);
        if (found.earlier !== undefined) return [];
        if (current.size >= pausesMax)
          return refusal('pause.too-many', `More than ${pausesMax} pauses: pause everything.`);
        return [{ type: 'LedgerPaused', data: dataOf(scope, reason) }];
      });
      if (changed.kind === 'refusal') return changed;
      become(changed.state);
      const pause = now().get(key);
      if (pause === undefined) throw new Error('a pause was just recorded');
      if (found.earlier === undefined) onPaused(pause);
      return pause;
    },
    resume: async ({ by, reason, revisionSeen, ...scope }) => {
      const key = keyOf(scope);
      const found: { pause?: Pause | undefined } = {};
      const changed = await stream.change(by, (current) => {
        found.pause = current.get(key);
        if (found.pause === undefined)
          return refusal('pause.none', `Nothing to resume: there is no pause of ${nameOf(scope)}.`);
        return found.pause.revision === revisionSeen
          ? [{ type: 'LedgerResumed', data: dataOf(scope, reason) }]
          : otherPause(found.pause);
      });
      if (changed.kind === 'refusal') return changed;
      become(changed.state);
      if (found.pause === undefined) throw new Error('a resume has a pause');
      onResumed?.({ pause: found.pause, by, reason });
      return found.pause;
    },
    refresh: async () => {
      const before = now();
      try {
        const read = await stream.load();
        // What was paused or resumed here meanwhile is newer; others' news comes with the next refresh.
        if (now() === before) become(read);
      } catch (fault) {
        if (!(fault instanceof StoreFault) || fault.code !== 'store.corrupt') throw fault;
        // A gate that breaks stays closed; the rest of the ledger answers and reconciles.
        const all = { reason: unreadable, by: 'ledger', at: deps.clock.nowMs(), revision: -1 };
        become(new Map([[keyOf({}), all]]));
      }
    },
    onChanged,
  };
}

/** As last known here. */
function createKnownScopes(): {
  readonly now: () => Scopes;
  readonly become: (next: Scopes) => void;
  readonly onChanged: Pauses['onChanged'];
} {
  let pauses: Scopes = new Map();
  let tellChanged = (): void => undefined;
  return {
    now: () => pauses,
    become: (next) => {
      const isNews = next !== pauses;
      pauses = next;
      if (isNews) tellChanged();
    },
    onChanged: (listener) => {
      tellChanged = listener;
    },
  };
}

/** The one that was seen has ended; somebody has paused it again since, maybe for another reason. */
function otherPause(pause: Pause): Refusal<PauseRefusalCode> {
  const { by, reason, at, revision } = pause;
  const message = `You saw another pause; this one is by ${by}: ${reason}. Look again, then decide again.`;
  return refusal('pause.stale', message, { by, reason, at, revision });
}

/** The widest first: it is the one that must end before anything goes on. */
function scopesOf(tenant: string, tool: string): readonly PauseScope[] {
  return [{}, { tenant }, { tool }, { tenant, tool }];
}

function keyOf({ tenant, tool }: PauseScope): string {
  return JSON.stringify([tenant ?? null, tool ?? null]);
}

function nameOf({ tenant, tool }: PauseScope): string {
  if (tool === undefined) return tenant === undefined ? 'everything' : `tenant "${tenant}"`;
  return tenant === undefined ? `tool "${tool}"` : `tool "${tool}" for tenant "${tenant}"`;
}

/** No name of another tenant is in it: each is told of its own. */
function sentence({ tenant, tool, reason }: Pause): string {
  const what =
    tool === undefined ? (tenant === undefined ? 'Everything' : 'This tenant') : 'This tool';
  return `${what} is paused: ${reason}${/[.!?]$/.test(reason) ? '' : '.'}`;
}

function dataOf({ tenant, tool }: PauseScope, reason: string): JsonObject {
  return {
    reason,
    ...(tenant === undefined ? {} : { tenant }),
    ...(tool === undefined ? {} : { tool }),
  };
}

function pauseOf({ data, at, by = '', revision }: DatedRecord): Pause {
  const { tenant, tool, reason } = data;
  return {
    reason: typeof reason === 'string' ? reason : '',
    by,
    at,
    revision,
    ...(typeof tenant === 'string' ? { tenant } : {}),
    ...(typeof tool === 'string' ? { tool } : {}),
  };
}
