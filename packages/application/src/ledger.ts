// One running ledger, as programs and people see it.
import { type Action, type Refusal, type Sha256 } from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { type ToolSet } from '@action-ledger/tools';
import {
  type ActionIndex,
  type ActionRow,
  type ListFilter,
  type ObservedFilter,
  type UnknownFilter,
} from './record/action-index.ts';
import { type Loaded, type Performed } from './record/action-store.ts';
import { type Answer } from './answer/answer.ts';
import { type CallerDoor } from './callers/caller-door.ts';
import { type Crew } from './core/crew.ts';
import { type DrivingOptions } from './core/driving.ts';
import { type EditRequest } from './people/edit.ts';
import { type Explanation, type ExplainRequest } from './propose/explain.ts';
import { type LedgerGauges, type LedgerWatch } from './core/ledger-watch.ts';
import {
  type CancelRequest,
  type CheckNowRequest,
  type closeIncident,
  type SettleRequest,
  type VoteRequest,
} from './people/operate.ts';
import { type ObservedReport } from './observe/observed-report.ts';
import { type Notice, type WritePoint } from './core/parts.ts';
import { type BurstOptions, type Pausing } from './people/pausing.ts';
import { type Proposal } from './propose/proposal.ts';
import { type EvidenceReport } from './reports/evidence-report.ts';
import { type Reported } from './reports/report-door.ts';
import { type EvidenceRequest } from './reports/report-request.ts';
import { type WaitingReport } from './reports/waiting-reports.ts';
import { type RepeatRequest } from './people/repeat.ts';
import { type SideEntry } from './record/side-table.ts';
import { type WorkflowDoor } from './workflow/workflow-door.ts';

export interface LedgerOptions extends BurstOptions, DrivingOptions {
  readonly store: EventStore;
  readonly runtime: Runtime;
  readonly sha256: Sha256;
  readonly tools: ToolSet;
  /** Caught up with the store. */
  readonly index: ActionIndex;
  readonly digestSecret: (path: string, text: string) => string;
  readonly onNotice?: (notice: Notice) => void;
  readonly onFault?: (where: string, fault: unknown) => void;
  /** Told at each point of the write path. */
  readonly onPoint?: (point: WritePoint, actionId: string) => void | Promise<void>;
  readonly onSideEntries?: (entries: readonly SideEntry[]) => void;
  /** Beside the pauses on record. */
  readonly isPaused?: (tenant: string, tool: string) => boolean;
  /** Calls of it are only observed: recorded, judged, and let out. Default: none are. */
  readonly observes?: (tenant: string, tool: string) => boolean;
  readonly sweepMs?: number;
  readonly watch?: LedgerWatch;
  /** Of the workers on the store. Default: one of its own, alone. */
  readonly crew?: Crew;
}

export interface Ledger extends Pausing {
  propose(proposal: Proposal): Promise<Answer>;
  vote(request: VoteRequest): Promise<Performed>;
  cancel(request: CancelRequest): Promise<Performed>;
  settle(request: SettleRequest): Promise<Performed>;
  repeat(request: RepeatRequest): Promise<Answer>;
  /** Another action takes the place of one that has not been sent; its callers get that one's outcome. */
  edit(request: EditRequest): Promise<Answer>;
  report(actionId: string, report: EvidenceReport): Promise<Performed>;
  /** By what its provider knows the action by. What matches none yet waits for it. */
  reportAbout(request: EvidenceRequest): Promise<Reported>;
  /** Reports of this tenant that match no action yet, oldest first. */
  waitingReports(tenant: string): readonly WaitingReport[];
  closeIncident(request: Parameters<typeof closeIncident>[1]): Promise<Performed>;
  checkNow(request: CheckNowRequest): Promise<Performed>;
  explain(request: ExplainRequest): Promise<Explanation | Refusal>;
  load(actionId: string): Promise<Loaded>;
  list(filter: ListFilter): readonly ActionRow[];
  /** What is not known: what waits for a person first, then the oldest before. */
  unknowns(filter: UnknownFilter): readonly ActionRow[];
  /** The action that recorded this id of the provider first. */
  ownerOfExternalId(tenant: string, tool: string, externalId: string): string | undefined;
  openActions(): readonly string[];
  sideEntries(limit: number): readonly SideEntry[];
  /** Whether calls of it are only observed. */
  observes(tenant: string, tool: string): boolean;
  /** What was only observed, and what the ledger would have done. */
  observed(filter: ObservedFilter): ObservedReport;
  gauges(): LedgerGauges;
  readonly workflows: WorkflowDoor;
  /** For callers that carry actions out in processes of their own. */
  readonly callers: CallerDoor;
  /** Waits until nothing is expected to happen to it within `waitMs`. */
  rest(actionId: string, waitMs: number): Promise<Action | undefined>;
  /** Looks at everything open again. */
  sweep(): void;
  /** Takes no new proposals, waits for what runs (at most `drainMs`), stops. The store stays open. */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}
