// The Read call: a page of a stream or of $all in either direction, or a subscription to one of them
// that goes on with what is appended later.
import { randomUUID } from 'node:crypto';
import { type ServerWritableStream } from '@grpc/grpc-js';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { type LogRecord, type StreamRead } from './double-log.ts';
import { type DoubleStore } from './double-store.ts';
import { type Faults } from './faults.ts';
import {
  caughtUpMessage,
  checkpointMessage,
  confirmationMessage,
  eventMessage,
  noPlace,
  notFoundMessage,
  streamDeleted,
  unavailable,
} from './messages.ts';
import { allows, type Selection, selectionOf } from './selection.ts';

type Call = ServerWritableStream<ReadReq, ReadResp>;

export interface ReadDeps {
  readonly store: DoubleStore;
  readonly faults: Faults;
  readonly onRead: (isSubscription: boolean) => void;
  readonly subscriptions: Set<OpenSubscription>;
}

export interface OpenSubscription {
  /** Nothing is sent any more, and the call stays open. */
  silence(): void;
  /** Ends with an error. */
  end(): void;
}

/** Events that a server looks at before it tells a filtered subscription where it is. */
const checkpointWindow = 32;

export function answerRead(deps: ReadDeps, call: Call): void {
  call.on('error', () => undefined);
  const options = call.request.getOptions();
  if (options === undefined) {
    call.end();
    return;
  }
  const selection = selectionOf(options);
  deps.onRead(selection.isSubscription);
  const fault = deps.faults.takeRead(selection);
  if (fault?.kind === 'never answered') return;
  if (selection.isSubscription) subscribe(deps, call, selection);
  else page(deps.store, call, selection, fault?.events);
}

function page(store: DoubleStore, call: Call, selection: Selection, breaksAfter = Infinity): void {
  const found = recordsOf(store, selection);
  if (found.kind === 'deleted') {
    call.emit('error', streamDeleted(selection.stream));
    return;
  }
  if (selection.isAll && !isPlace(found.records, selection.from)) {
    call.emit('error', noPlace());
    return;
  }
  if (found.kind === 'not found') call.write(notFoundMessage(selection.stream));
  const most = Math.min(selection.count, breaksAfter);
  let sent = 0;
  for (const record of inDirection(found.records, selection)) {
    if (sent === most) break;
    if (!allows(selection, record)) continue;
    call.write(eventMessage(record));
    sent += 1;
  }
  if (breaksAfter === Infinity) call.end();
  else call.emit('error', unavailable());
}

/** A server reads from the beginning of a record, or from behind the last one. */
function isPlace(records: readonly LogRecord[], from: Selection['from']): boolean {
  if (typeof from === 'string') return true;
  const last = records.at(-1)?.position ?? 0;
  return from > last || records.some(({ position }) => position === from);
}

function recordsOf(store: DoubleStore, { isAll, stream }: Selection): StreamRead {
  if (!isAll) return store.readStream(stream);
  return { kind: 'found', records: store.records().slice(0, store.readableCount()) };
}

/** From where it was asked to begin: that place is in it forwards, and in a stream backwards too. */
function* inDirection(
  records: readonly LogRecord[],
  { isBackwards, isAll, from }: Selection,
): Generator<LogRecord> {
  if (!isBackwards) {
    if (from === 'end') return;
    for (const record of records)
      if (from === 'start' || placeOf(record, isAll) >= from) yield record;
    return;
  }
  if (from === 'start') return;
  for (let index = records.length - 1; index >= 0; index -= 1) {
    const record = records[index];
    if (record === undefined) return;
    const place = placeOf(record, isAll);
    if (from === 'end' || (isAll ? place < from : place <= from)) yield record;
  }
}

function placeOf(record: LogRecord, isAll: boolean): number {
  return isAll ? record.position : record.revision;
}

function subscribe(deps: ReadDeps, call: Call, selection: Selection): void {
  const { store } = deps;
  if (selection.isAll && !isPlace(recordsOf(store, selection).records, selection.from)) {
    call.emit('error', noPlace());
    return;
  }
  let index = startOf(store, selection);
  let isOpen = true;
  let isCaughtUp = false;
  let isSending = false;
  let considered = 0;

  const close = (): void => {
    isOpen = false;
    forget();
    deps.subscriptions.delete(open);
  };
  const send = (message: ReadResp): boolean | Promise<void> =>
    call.write(message) || new Promise((resolve) => call.once('drain', resolve));
  const sendNext = async (record: LogRecord): Promise<void> => {
    considered += 1;
    if (allows(selection, record)) await send(eventMessage(record));
    if (selection.hasFilter && considered % (checkpointWindow * selection.checkpointEvery) === 0)
      await send(checkpointMessage(record.position));
  };
  const run = async (): Promise<void> => {
    if (isSending) return;
    isSending = true;
    while (isStillOpen() && index < store.readableCount()) {
      const record = store.records()[index];
      index += 1;
      if (record !== undefined) await sendNext(record);
    }
    isSending = false;
    if (isStillOpen() && !isCaughtUp) {
      isCaughtUp = true;
      await send(caughtUpMessage());
    }
  };
  // The flag changes while something is sent, which the compiler cannot see.
  const isStillOpen = (): boolean => isOpen;
  const open: OpenSubscription = {
    silence: close,
    end: () => {
      close();
      call.emit('error', unavailable());
    },
  };
  const forget = store.onRecords(() => void run());
  deps.subscriptions.add(open);
  call.on('cancelled', close);
  call.on('close', close);
  call.write(confirmationMessage(randomUUID()));
  void run();
}

/** The index of the first record after where the subscription begins: that place is not in it. */
function startOf(store: DoubleStore, { isAll, from, stream }: Selection): number {
  if (from === 'start') return 0;
  if (from === 'end') return store.readableCount();
  const index = store
    .records()
    .findIndex((record) => (isAll || record.stream === stream) && placeOf(record, isAll) > from);
  return index < 0 ? store.readableCount() : index;
}
