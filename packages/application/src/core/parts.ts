// What the parts of one running ledger share. Built once in assemble.ts; every rule that decides lives
// in the domain, every effect outside in a tool.
import {
  type Action,
  type CallOrigin,
  type IdentityDeclaration,
  type JsonObject,
  type Sha256,
  type Workflow,
} from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { observedTool, type Tool, type ToolSet } from '@action-ledger/tools';
import { type ActionIndex } from '../record/action-index.ts';
import { type ActionStore } from '../record/action-store.ts';
import { type KnownCallerTools } from '../callers/built-tools.ts';
import { type RulesLoosened } from '../callers/caller-tools.ts';
import { type Offers } from '../callers/offers.ts';
import { type Crew } from './crew.ts';
import { type DueIndex } from '../attend/due-index.ts';
import { type Duties, type Duty } from './duties.ts';
import { type Judge } from '../attend/judge.ts';
import { type KeyedTurns } from '../record/keyed-turns.ts';
import { type LedgerClock } from './ledger-clock.ts';
import { type LedgerWatch } from './ledger-watch.ts';
import { type HeldByPause } from '../people/held-by-pause.ts';
import { type Pause, type PauseEnd, type UnknownOf } from '../people/pauses.ts';
import { type WaitingReport, type WaitingReports } from '../reports/waiting-reports.ts';
import { type Quarantine } from '../record/quarantine.ts';
import { type Recovery } from '../people/recoveries.ts';
import { type SideTable } from '../record/side-table.ts';
import { type Slots } from '../attempt/slots.ts';
import { type Unrecorded } from '../observe/unrecorded.ts';
import { type Waiters } from '../answer/waiters.ts';

/** Named points of the write path, told as they are passed: a crash test ends the process there. */
export type WritePoint =
  | 'before plan'
  | 'planned'
  | 'claimed'
  | 'dispatched'
  | 'sending'
  | 'replied'
  | 'outcome recorded'
  | 'unknown recorded'
  | 'looked up'
  | 'reconciled'
  | 'undo recorded'
  | 'workflow started'
  | 'step planned'
  | 'step done'
  | 'step settled'
  | 'compensation started'
  | 'compensation planned'
  | 'compensation created'
  | 'compensation recorded'
  | 'workflow ended';

export const writePoints: readonly WritePoint[] = [
  'before plan',
  'planned',
  'claimed',
  'dispatched',
  'sending',
  'replied',
  'outcome recorded',
  'unknown recorded',
  'looked up',
  'reconciled',
  'undo recorded',
  'workflow started',
  'step planned',
  'step done',
  'step settled',
  'compensation started',
  'compensation planned',
  'compensation created',
  'compensation recorded',
  'workflow ended',
];

/** An attempt that runs in this process. */
export interface Run {
  readonly claim: number;
  readonly attempt: number;
  /** That began it. */
  readonly duty: Duty;
  readonly abort: (reason: string) => void;
  readonly done: Promise<void>;
}

export type Notice =
  | { readonly kind: 'approval waiting'; readonly action: Action }
  | { readonly kind: 'unknown escalated'; readonly action: Action }
  | { readonly kind: 'incident'; readonly action: Action }
  /** It was left half done, or what is to undo it has failed. */
  | { readonly kind: 'workflow needs a person'; readonly workflow: Workflow }
  /** New proposals of it are refused and nothing of it is sent, until it is resumed. */
  | { readonly kind: 'paused'; readonly pause: Pause }
  | ({ readonly kind: 'resumed' } & PauseEnd)
  /** An operator has declared a tool of callers anew, so that fewer are asked or more is sent again. */
  | ({ readonly kind: 'rules loosened' } & RulesLoosened)
  /** Nothing in it runs; its incident lies in `quarantine-<action id>`. */
  | { readonly kind: 'stream broken'; readonly actionId: string; readonly reason: string };

export interface Parts {
  /** Of this core alone. */
  readonly worker: string;
  readonly crew: Crew;
  readonly store: EventStore;
  readonly actions: ActionStore;
  readonly tools: ToolSet;
  readonly callerTools: KnownCallerTools;
  /** What is on record of each tool, oldest first: also versions that it no longer accepts. */
  readonly declared: ReadonlyMap<string, readonly IdentityDeclaration[]>;
  readonly offers: Offers;
  readonly clock: LedgerClock;
  readonly runtime: Runtime;
  readonly sha256: Sha256;
  readonly index: ActionIndex;
  readonly judge: Judge;
  readonly due: DueIndex;
  readonly waiters: Waiters;
  readonly quarantine: Quarantine;
  readonly reports: WaitingReports;
  /** Reports that waited and are being matched. */
  readonly reportsUnderWay: Set<Promise<unknown>>;
  /**
   * What could not be read or taken up, for the next look at everything. `all`: some tenant is not read, and
   * is tried again not before that monotonic time.
   */
  readonly reportsLeft: {
    all: boolean;
    notBeforeMono: number;
    readonly reports: Set<WaitingReport>;
  };
  /** Reports that bear one external id, by its tenant, tool and id. */
  readonly externalIdTurns: KeyedTurns;
  readonly sides: SideTable;
  /** Of calls that are only observed. */
  readonly unrecorded: Unrecorded;
  readonly slots: Slots;
  /** Attempts under way in this process, by action. */
  readonly runs: Map<string, Run>;
  /** Whole arguments of actions with secret fields: they are nowhere else. */
  readonly secrets: Map<string, JsonObject>;
  /** Calls that joined an open action: they go on record with its outcome, or after an ending without effect. */
  readonly joins: Map<string, CallOrigin[]>;
  /** Those of endings that are being recorded. */
  readonly joinsUnderWay: Set<Promise<unknown>>;
  /** Calls that joined an epoch which has come to its end, and those that open the one after it, by the earlier one. */
  readonly epochTurns: KeyedTurns;
  /** Target of an undo under way → its undoer. */
  readonly undoers: Map<string, string>;
  /** What waits for another action to move, by that action. */
  readonly dependents: Map<string, Set<string>>;
  /** Outcomes in hand that the store has not taken yet. */
  readonly beingRecorded: Set<string>;
  /** Of this store, in their order. */
  readonly recoveries: readonly Recovery[];
  /** Why nothing new may be recorded or sent; undefined when all is well. */
  readonly recovering: () => string | undefined;
  /** Why nothing new is recorded or sent, as a sentence; undefined: not paused. */
  readonly whyPaused: (tenant: string, tool: string) => string | undefined;
  readonly heldByPause: HeldByPause;
  /** Calls of it are only observed: every one goes out. */
  readonly observes: (tenant: string, tool: string) => boolean;
  /** An attempt of the tenant has ended in doubt. */
  readonly sawUnknown: (of: UnknownOf) => void;
  /** What it does by itself; the rest is another core's. */
  readonly duties: Duties;
  readonly isClosing: () => boolean;
  /** Looks at an open action and does what is due; one look at a time per action. */
  readonly attend: (actionId: string) => Promise<void>;
  readonly notice: (notice: Notice) => void;
  readonly passed: (point: WritePoint, actionId: string) => void | Promise<void>;
  /** For metrics. */
  readonly watch: Required<LedgerWatch>;
  readonly digestSecret: (path: string, text: string) => string;
  readonly onFault: (where: string, fault: unknown) => void;
}

export type Known = Pick<Parts, 'tools' | 'callerTools'>;

/** By what the action was planned under: one that was only observed is never sent again. */
export function toolOf(parts: Known, action: Action): Tool | undefined {
  const tool = declaredTool(parts, action.tenant, action.tool);
  return tool !== undefined && action.guarantee === 'observed' ? observedTool(tool) : tool;
}

/** As a new call of the tenant finds it. */
export function toolNamed(
  parts: Known & Pick<Parts, 'observes'>,
  tenant: string,
  name: string,
): Tool | undefined {
  const tool = declaredTool(parts, tenant, name);
  return tool !== undefined && parts.observes(tenant, name) ? observedTool(tool) : tool;
}

/** Also one that is held. Undefined where there is no such tool. */
export function takesSecrets(
  { tools, callerTools }: Known,
  tenant: string,
  name: string,
): boolean | undefined {
  const tool = tools.get(name) ?? callerTools.get(tenant, name);
  return tool && hasSecrets(tool);
}

export function hasSecrets(tool: Tool): boolean {
  return (tool.observes ?? tool).declaration.secret.length > 0;
}

/** One that the ledger serves, or one that callers of the tenant carry out. Undefined also where it is held. */
export function declaredTool(parts: Known, tenant: string, name: string): Tool | undefined {
  if (parts.callerTools.whyHeld(tenant, name) !== undefined) return undefined;
  return parts.tools.get(name) ?? parts.callerTools.get(tenant, name);
}
