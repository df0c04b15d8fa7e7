// What must hold of one stream: its chain, its fold, and the order of its attempts.
import { type ActionEvent, type EventPlace } from '../action/event.ts';
import { type ChainedText, findChainBreak } from '../chain.ts';
import { type Sha256 } from '../sha256.ts';
import { type ActionTrail, brokenOnTrail, followTrail, startTrail } from './action-trail.ts';
import { type AuditContext, type BrokenInvariant } from './broken.ts';
import { checkState } from './check-state.ts';

export interface StreamEvent {
  readonly event: ActionEvent;
  readonly place: EventPlace;
  /** As stored, its metadata with the hash; without it the chain is not checked. */
  readonly stored?: ChainedText;
}

export interface StreamContext extends AuditContext {
  /** Without it the chain is not checked. */
  readonly sha256?: Sha256;
}

/** `events`: the whole stream of an action, in order. */
export function checkAction(
  stream: string,
  events: readonly StreamEvent[],
  context: StreamContext,
): readonly BrokenInvariant[] {
  const trail = startTrail(stream);
  for (const { event, place } of events) followTrail(trail, event, place);
  return [...checkChain(stream, events, context), ...checkTrail(stream, trail, context)];
}

/** The same of a stream whose events were followed before; its chain is checked elsewhere. */
export function checkTrail(
  stream: string,
  trail: ActionTrail,
  context: AuditContext,
): readonly BrokenInvariant[] {
  const broken = brokenOnTrail(trail).map((each) => ({ stream, ...each }));
  return trail.hasEnded ? broken : [...broken, ...checkState(stream, trail.action, context)];
}

function checkChain(
  stream: string,
  events: readonly StreamEvent[],
  { sha256 }: StreamContext,
): readonly BrokenInvariant[] {
  if (sha256 === undefined) return [];
  const texts = events.flatMap(({ stored, place }) =>
    stored === undefined ? [] : [{ ...stored, revision: place.revision }],
  );
  if (texts.length < events.length) return [];
  const found = findChainBreak(sha256, stream, texts);
  if (found === undefined) return [];
  const detail = `revision ${found.revision}: ${found.what}`;
  return [{ stream, invariant: 'chain-holds', detail }];
}
