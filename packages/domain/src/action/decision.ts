// What deciding gives: events to append, or a refusal. A refused vote after the end of its time
// carries both: the refusal, and the expiry that it brought to light.
import { type JsonValue } from '../json/json-value.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { type ActionEvent } from './event.ts';
import { type Action } from './state.ts';

/** Wall-clock milliseconds since the epoch, never below the highest event time handed out. */
export interface Instant {
  readonly wallMs: number;
}

export const actionRefusalCodes = [
  'action.approval-decided',
  'action.approval-own-vote',
  'action.approval-other-arguments',
  'action.approval-voted',
  'action.claim-lost',
  'action.evidence-full',
  'action.exists',
  'action.expired',
  'action.in-doubt',
  'action.incident-unknown',
  'action.joins-full',
  'action.key-window-over',
  'action.not-due',
  'action.nothing-to-ask',
  'action.request-invalid',
  'action.status',
  'action.stale-revision',
  'action.too-early',
  'action.unknown',
  'ledger.recovering',
] as const;

export type ActionRefusalCode = (typeof actionRefusalCodes)[number];

export interface Accepted {
  readonly kind: 'accepted';
  /** Empty where what was asked for is already so. */
  readonly events: readonly ActionEvent[];
  /** The command was refused all the same; the events came to light with it. */
  readonly refused?: Refusal<ActionRefusalCode>;
}

export type Decision = Accepted | Refusal<ActionRefusalCode>;

export function accept(...events: readonly ActionEvent[]): Accepted {
  return { kind: 'accepted', events };
}

/** The command does not fit the status; the message says what the action is now. */
export function wrongStatus(action: Action, wish: string): Refusal<ActionRefusalCode> {
  if (action.status === 'new') {
    return refusal('action.unknown', `There is no action ${action.id}.`, { action: action.id });
  }
  return refusal('action.status', `Cannot ${wish}: the action is ${action.status}.`, facts(action));
}

export function refuse(
  code: ActionRefusalCode,
  message: string,
  action: Action,
  more?: Readonly<Record<string, JsonValue>>,
): Refusal<ActionRefusalCode> {
  return refusal(code, message, { ...facts(action), ...more });
}

function facts(action: Action): Readonly<Record<string, JsonValue>> {
  return { action: action.id, status: action.status, revision: action.revision };
}
