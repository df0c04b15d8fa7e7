// The record of one tenant's reports that match nothing yet: one stream for each day. Where each ends is
// remembered, so that an append reads nothing.
import { sealEvents, unsealEvent } from '@action-ledger/codec';
import { chainStart, findChainBreak } from '@action-ledger/domain';
import { StoreFault } from '@action-ledger/event-store';
import { appendOnce } from '../record/append.ts';
import { type RecordStreamDeps, type StreamRecord } from '../record/record-stream.ts';

export const dayMs = 24 * 3_600_000;

export interface ReportDays {
  /** @param day since the epoch. @throws StoreFault; `store.corrupt` where its chain does not hold */
  read(day: number): Promise<readonly (StreamRecord & { readonly at: number })[]>;
  /** @returns false where others have appended since it was read. @throws StoreFault */
  append(day: number, record: { readonly type: string; readonly data: object }): Promise<boolean>;
  /** Records of that day, as far as they are known. */
  length(day: number): number;
}

interface End {
  readonly revision: number;
  readonly hash: string;
}

export function reportsStream(tenantHash: string, day: number): string {
  return `evidence-${tenantHash}-${day}`;
}

export function createReportDays(deps: RecordStreamDeps, tenant: string): ReportDays {
  const { store, sha256, clock, runtime } = deps;
  const tenantHash = sha256(JSON.stringify(['tenant', tenant]));
  const ends = new Map<number, End>();
  const streamOf = (day: number): string => reportsStream(tenantHash, day);
  return {
    read: async (day) => {
      const stream = streamOf(day);
      const events = await store.readStream(stream);
      const found = findChainBreak(sha256, stream, events);
      if (found !== undefined) {
        const message = `Stream ${stream} does not hold together: revision ${found.revision}: ${found.what}. Compare it with a backup.`;
        throw new StoreFault('store.corrupt', 'never', message, { detail: { stream } });
      }
      const last = events.at(-1);
      if (last !== undefined)
        ends.set(day, { revision: last.revision, hash: unsealEvent(last).metadata.hash });
      return events.map((each) => {
        const { event, metadata } = unsealEvent(each);
        return { type: event.type, data: event.data, at: metadata.at };
      });
    },
    append: async (day, record) => {
      const stream = streamOf(day);
      const end = ends.get(day);
      const context = { sha256, nextId: runtime.ids.next, at: clock.nowMs() };
      const sealed = sealEvents(context, end?.hash ?? chainStart(stream), [record]);
      const expected = end?.revision ?? 'no stream';
      const appended = await appendOnce(store, runtime.timers, stream, expected, sealed.events);
      if (appended.kind === 'conflict') return false;
      ends.set(day, { revision: (end?.revision ?? -1) + 1, hash: sealed.hash });
      return true;
    },
    length: (day) => (ends.get(day)?.revision ?? -1) + 1,
  };
}
