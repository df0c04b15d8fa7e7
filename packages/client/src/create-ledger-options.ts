// What createLedger takes.
import {
  type BurstLimit,
  type LedgerWatch,
  type Notice,
  type SideEntry,
  type WritePoint,
} from '@action-ledger/application';
import { type EventStore } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { type Tool } from '@action-ledger/tools';

export type AnyTool = Tool;

/** Of one of these tools, or of one of these tenants. */
export interface ObserveScope {
  readonly tools?: readonly string[];
  readonly tenants?: readonly string[];
}

export interface CreateLedgerOptions<Tools extends Readonly<Record<string, AnyTool>>> {
  /** The file that holds everything; made where it is missing. Without it, memory only. */
  readonly path?: string;
  readonly tools: Tools | readonly AnyTool[];
  /** Of calls that name none. Default `default`. */
  readonly tenant?: string;
  /** An approval waits, an unknown needs a person, an incident opened. */
  readonly onNotice?: (notice: Notice) => void;
  /** Something outside broke and was survived; for the log. */
  readonly onFault?: (where: string, fault: unknown) => void;
  readonly onSideEntries?: (entries: readonly SideEntry[]) => void;
  readonly onPoint?: (point: WritePoint, actionId: string) => void | Promise<void>;
  /** Beside the pauses on record. */
  readonly isPaused?: (tenant: string, tool: string) => boolean;
  /**
   * So many unknown outcomes of a tool within the time pause it for their tenant, for every tenant where no more
   * than half of them (rounded up) are one tenant's, until a person resumes it.
   */
  readonly pauseOnBurst?: BurstLimit;
  readonly runtime?: Runtime;
  /** In place of the file: any event store. It is closed with the ledger. */
  readonly store?: EventStore;
  /**
   * False: it records what callers and people say and sends nothing; a ledger that is opened on the
   * file later does the rest. Default true.
   */
  readonly drives?: boolean;
  /** Attempts under way at once, of all tools together. Default: no bound. */
  readonly slotsMax?: number;
  readonly sweepMs?: number;
  /**
   * Calls are only observed: each goes out, and what the ledger would have done is on record. True: all
   * of them. Default: none.
   */
  readonly observe?: boolean | ObserveScope;
  /** For metrics: it is told of each answer and of each move of an action. */
  readonly watch?: LedgerWatch;
}
