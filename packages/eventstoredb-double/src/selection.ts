// What a Read call asks for, as plain values.
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import { type LogRecord } from './double-log.ts';
import { nameOf } from './messages.ts';

export interface Selection {
  /** `$all`, or the name of a stream. */
  readonly stream: string;
  readonly isAll: boolean;
  readonly isSubscription: boolean;
  readonly isBackwards: boolean;
  /** A position of $all, a revision of a stream. */
  readonly from: number | 'start' | 'end';
  readonly count: number;
  readonly hasFilter: boolean;
  readonly isAllowed: (record: LogRecord) => boolean;
  /** In windows of events looked at. */
  readonly checkpointEvery: number;
}

export function selectionOf(options: ReadReq.Options): Selection {
  const all = options.getAll();
  const filter = options.getFilter();
  return {
    stream: all === undefined ? nameOf(options.getStream()?.getStreamIdentifier()) : '$all',
    isAll: all !== undefined,
    isSubscription: options.hasSubscription(),
    isBackwards: options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS,
    from: all === undefined ? revisionOf(options.getStream()) : positionOf(all),
    count: options.hasCount() ? Number(options.getCount()) : Infinity,
    hasFilter: filter !== undefined,
    isAllowed: filter === undefined ? () => true : allowedBy(filter),
    checkpointEvery: Math.max(1, filter?.getCheckpointintervalmultiplier() ?? 1),
  };
}

export function allows({ isAll, stream, isAllowed }: Selection, record: LogRecord): boolean {
  return isAll ? isAllowed(record) : record.stream === stream;
}

function positionOf(all: ReadReq.Options.AllOptions): Selection['from'] {
  if (all.hasStart()) return 'start';
  return all.hasEnd() ? 'end' : Number(all.getPosition()?.getCommitPosition() ?? 0);
}

function revisionOf(stream: ReadReq.Options.StreamOptions | undefined): Selection['from'] {
  if (stream === undefined || stream.hasStart()) return 'start';
  return stream.hasEnd() ? 'end' : Number(stream.getRevision());
}

function allowedBy(filter: ReadReq.Options.FilterOptions): (record: LogRecord) => boolean {
  const onStream = filter.getStreamIdentifier();
  const expression = onStream ?? filter.getEventType();
  const prefixes = expression?.getPrefixList() ?? [];
  const regex = expression?.getRegex() ?? '';
  const matches =
    prefixes.length > 0
      ? (text: string) => prefixes.some((prefix) => text.startsWith(prefix))
      : (text: string) => new RegExp(regex, 'u').test(text);
  return (record) => matches(onStream === undefined ? record.type : record.stream);
}
