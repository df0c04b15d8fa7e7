// The tools that this program carries out itself, as the rest of the client sees them. What runs them is loaded
// only where there are some.
import { type Answer, type CallOrigin, type JsonValue, type Refusal } from '@action-ledger/domain';
import { type Told } from './ask.ts';

export interface OwnTools {
  /** Once more, where the ledger does not know them any more. @throws RegistrationRefused, RemoteFault */
  declare(): Promise<void>;
  /** Answered at once where it is a read, or does not fit; undefined: it is no tool of this program. */
  prepare(call: OwnCall): Promise<Answer | Prepared> | undefined;
  /** The arguments as the ledger may see them; the same where there is nothing secret. */
  shown(tool: string, args: JsonValue): ShownArguments | Refusal;
  /** Those of an action on record; answered at once where they do not fit. */
  shownOf(actionId: string, args: JsonValue): Promise<ShownArguments | Answer>;
  /** A step of a workflow: answered at once where it is a read; undefined: nothing of it is this program's. */
  prepareStep(call: OwnCall): Promise<Answer | ShownArguments> | undefined;
  /**
   * Takes nothing new; what runs may end within `drainMs`, then it is aborted, and its outcome reported.
   * @param asked resolves when no call is under way any more that may still be handed out
   */
  close(drainMs: number, asked: Promise<void>): Promise<void>;
}

export interface OwnCall {
  readonly tool: string;
  readonly arguments: JsonValue;
  readonly origin: CallOrigin;
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

export interface ShownArguments {
  readonly kind: 'shown';
  readonly arguments: JsonValue;
  /** To be told what is known of the action that came of it, before it is waited for and after. */
  readonly hold?: (answer: Answer) => void;
}

/** A call that may be handed out with its answer. */
export interface Prepared extends Omit<ShownArguments, 'kind'> {
  readonly kind: 'prepared';
  /** Of this request alone: said again with the same one, the same claim is meant. */
  readonly worker: string;
  /**
   * Carries out what was handed out.
   * @returns undefined where nothing was; else what is on record in the end, if that could be told
   */
  readonly begin: (told: Told) => Promise<Answer | undefined> | undefined;
}
