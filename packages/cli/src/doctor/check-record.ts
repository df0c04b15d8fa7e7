// What is in the file: its condition, its newest events, and what its times say about the clock.
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import { type SqliteEventStore } from '@action-ledger/event-store-sqlite';
import { readEvents } from '@action-ledger/application';
import { foldAction } from '@action-ledger/codec';
import { actionOfStream, findChainBreak } from '@action-ledger/domain';
import { count } from '../format/count.ts';
import { printable } from '../format/printable.ts';
import { dateTime, duration } from '../format/time.ts';
import { shortId } from '../ledger-file/find-action.ts';
import { quarantined } from '../ledger-file/quarantined.ts';
import { sha256 } from '../sha256.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

const tailEvents = 1_000;
const chainsShown = 3;

export async function checkRecord(
  store: SqliteEventStore,
  nowMs: number,
): Promise<readonly Finding[]> {
  const head = await store.head();
  const damaged: string[] = [];
  const tail: RecordedEvent[] = [];
  const batches = readEvents(store, {
    after: Math.max(0, head - tailEvents),
    onDamaged: ({ stream }) => damaged.push(stream),
  });
  for await (const batch of batches) tail.push(...batch);
  const streams = [...new Set(tail.map(({ stream }) => stream))];
  const lost = (await store.lostStreams()).map(({ stream }) => stream);
  const broken = [...new Set([...lost, ...damaged, ...(await brokenAmong(store, streams))])];
  return [
    checkCondition(store, head),
    judgeQuarantine(await quarantined(store)),
    judgeChains(broken, tail.length, head),
    judgeClock(newestTime(tail), nowMs),
  ];
}

function checkCondition(store: EventStore, head: number): Finding {
  const condition = store.condition();
  if (condition.kind === 'ready') return ok('condition', `ready, ${count(head, 'event')}`);
  return fail(
    'condition',
    `recovering: ${condition.reason}`,
    'repeats are answered, nothing new is recorded or sent. Put back the newest file if there is one; else `action-ledger recover` says what is missing, and an operator confirms it.',
  );
}

/** Whole streams: a chain can only be followed from its start. */
async function brokenAmong(
  store: EventStore,
  streams: readonly string[],
): Promise<readonly string[]> {
  const broken: string[] = [];
  for (const stream of streams) {
    try {
      if (!isWhole(stream, await store.readStream(stream))) broken.push(stream);
    } catch {
      broken.push(stream);
    }
  }
  return broken;
}

function isWhole(stream: string, events: readonly RecordedEvent[]): boolean {
  return actionOfStream(stream) === undefined
    ? findChainBreak(sha256, stream, events) === undefined
    : foldAction(sha256, stream, events).kind !== 'broken';
}

export function judgeQuarantine(actionIds: readonly string[]): Finding {
  const [first] = actionIds;
  if (first === undefined) return ok('quarantine', 'no action is on record as damaged');
  const names = actionIds.slice(0, chainsShown).map(shortId).join(', ');
  const more = actionIds.length > chainsShown ? ` and ${actionIds.length - chainsShown} more` : '';
  return fail(
    'quarantine',
    `${count(actionIds.length, 'action')} on record as damaged: ${names}${more}`,
    `\`action-ledger verify\` says what is wrong; compare it with a backup and settle the action outside. Nothing in it runs, and its calls are answered "outcome still being checked".`,
  );
}

/** @param head how many events there are */
export function judgeChains(broken: readonly string[], events: number, head: number): Finding {
  if (broken.length === 0) {
    const rest = head - events;
    const unread =
      rest <= 0 ? '' : `; ${count(rest, 'older event')} not checked, action-ledger verify does`;
    return ok('chain', `holds in the streams of the newest ${count(events, 'event')}${unread}`);
  }
  const names = broken.slice(0, chainsShown).map(printable).join(', ');
  const more = broken.length > chainsShown ? ` and ${broken.length - chainsShown} more` : '';
  return fail(
    'chain',
    `broken in ${names}${more}`,
    '`action-ledger verify` names every event that was changed; compare it with a backup. Nothing in a broken stream runs.',
  );
}

const aheadMs = 60_000;

export function judgeClock(newestMs: number | undefined, nowMs: number): Finding {
  if (newestMs === undefined) return ok('clock', `${dateTime(nowMs)} UTC; nothing is recorded yet`);
  const behindMs = newestMs - nowMs;
  const newest = `the newest event is of ${dateTime(newestMs)} UTC`;
  if (behindMs <= aheadMs) return ok('clock', `${dateTime(nowMs)} UTC; ${newest}`);
  return warn(
    'clock',
    `the clock stands ${duration(behindMs)} behind: ${newest}`,
    "set the machine's clock: until then no idempotent call in doubt is sent again.",
  );
}

function newestTime(events: readonly RecordedEvent[]): number | undefined {
  const times = events.flatMap(({ metadata }) => {
    const at = /"at":(\d{1,16})[,}]/.exec(metadata)?.[1];
    return at === undefined ? [] : [Number(at)];
  });
  return times.length === 0 ? undefined : Math.max(...times);
}
