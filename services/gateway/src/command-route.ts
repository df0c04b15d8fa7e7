// What all commands of people have in common: the action must be their tenant's, and they name the
// revision that they saw. The ledger compares it; a stale one is answered with what happened since, and the
// action as it is now.
import { type Answer, type Performed } from '@action-ledger/application';
import { type Action } from '@action-ledger/domain';
import { viewOf } from './answers/action-view.ts';
import { replyTo } from './answers/answer-status.ts';
import { type HttpAnswer } from './answers/http-answer.ts';
import { performedReply } from './answers/performed.ts';
import { ownAction } from './own-action.ts';
import { revisionSeen } from './request-headers.ts';
import { type Asked, type Door } from './route.ts';

type Command = Asked<
  { readonly id: string },
  unknown,
  { readonly revisionSeen?: number | undefined }
>;

export interface Aimed {
  readonly kind: 'aimed';
  readonly action: Action;
  readonly revisionSeen: number;
}

export type Aim = Aimed | { readonly kind: 'no'; readonly answer: HttpAnswer };

export async function aim(door: Door, asked: Command): Promise<Aim> {
  const own = await ownAction(door, asked.principal.tenant, asked.params.id);
  if (own.kind === 'no') return own;
  const seen = revisionSeen(asked.headers, asked.body.revisionSeen);
  if (seen.kind === 'no') return seen;
  return { kind: 'aimed', action: own.action, revisionSeen: seen.revision };
}

/** With the action as it is after a refusal: another may have moved it meanwhile. */
export async function commanded(
  { ledger }: Door,
  before: Action,
  performed: Performed,
): Promise<HttpAnswer> {
  if (performed.kind !== 'refusal') return performedReply(performed, before);
  const loaded = await ledger.load(before.id);
  return performedReply(performed, loaded.kind === 'action' ? loaded.action : before);
}

/** The same for commands that are answered as proposals are. */
export async function proposed(
  { ledger, runtime }: Door,
  before: Action,
  answer: Answer,
): Promise<HttpAnswer> {
  const now = runtime.clock.wallMs();
  if (answer.state !== 'refused') return replyTo(answer, now);
  const loaded = await ledger.load(before.id);
  return replyTo(answer, now, viewOf(loaded.kind === 'action' ? loaded.action : before));
}
