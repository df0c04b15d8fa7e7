// What people are told: that something waits for them, and where to look. It holds names and reasons,
// never arguments or results: it leaves the ledger.
import { type Notice } from '@action-ledger/application';
import { type JsonObject } from '@action-ledger/domain';

/** What a ledger tells in its process, but for the end of a pause, and what only the auditor finds. */
export type NotificationKind = Exclude<Notice['kind'], 'resumed'> | 'invariant broken';

/** By the name that it has in the body of a webhook. */
export const notificationTypes: Readonly<Record<NotificationKind, string>> = {
  'approval waiting': 'approval.waiting',
  'unknown escalated': 'unknown.escalated',
  incident: 'incident.opened',
  paused: 'pause.begun',
  'rules loosened': 'rules.loosened',
  'workflow needs a person': 'workflow.needs_person',
  'stream broken': 'stream.damaged',
  'invariant broken': 'invariant.broken',
};

export interface Notification {
  /** Of its cause: the same however often it is sent. */
  readonly id: string;
  readonly kind: NotificationKind;
  /** When its cause was recorded, wall-clock ms since the epoch. */
  readonly at: number;
  /** Absent where it concerns all tenants, or it is not known whom. */
  readonly tenant?: string;
  readonly tool?: string;
  /** The action's id. */
  readonly action?: string;
  readonly workflow?: string;
  /** One sentence for people. */
  readonly text: string;
  /** What else is known, by kind: `reason`, `expiresAt`, `votes`, `incident`, `status`, `by` … */
  readonly detail: JsonObject;
  /** The event that it is about. */
  readonly cause: Cause;
}

export interface Cause {
  readonly stream: string;
  readonly revision: number;
}

/** What its stream says of it. */
export type Told = Omit<Notification, 'id' | 'cause'>;

const textMax = 500;

/** Names and reasons come from models, providers and people. */
export function plainText(text: string): string {
  const plain = text.toWellFormed().replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
  return plain.length <= textMax ? plain : `${plain.slice(0, textMax - 1).toWellFormed()}…`;
}
