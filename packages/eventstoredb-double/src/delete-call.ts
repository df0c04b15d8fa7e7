// The Delete and Tombstone calls: the first hides what a stream holds until something is appended to it
// again, the second ends it for good.
import { type sendUnaryData, type ServerUnaryCall, status } from '@grpc/grpc-js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type {
  DeleteReq,
  DeleteResp,
  TombstoneReq,
  TombstoneResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import { randomUUID } from 'node:crypto';
import { type Appended, type Proposed, tombstoneType, truncation } from './double-log.ts';
import { type DoubleStore } from './double-store.ts';
import { nameOf, refusal, streamDeleted } from './messages.ts';

export async function deleteStream(
  store: DoubleStore,
  { request }: ServerUnaryCall<DeleteReq, DeleteResp>,
  answer: sendUnaryData<DeleteResp>,
): Promise<void> {
  const stream = nameOf(request.getOptions()?.getStreamIdentifier());
  const appended = await softDelete(store, stream);
  if (appended.kind === 'written') answer(null, new streams.DeleteResp());
  else answer(refusal(status.UNKNOWN, appended.kind), null);
}

export async function tombstoneStream(
  store: DoubleStore,
  { request }: ServerUnaryCall<TombstoneReq, TombstoneResp>,
  answer: sendUnaryData<TombstoneResp>,
): Promise<void> {
  const stream = nameOf(request.getOptions()?.getStreamIdentifier());
  const appended = await hardDelete(store, stream);
  if (appended.kind === 'written') answer(null, new streams.TombstoneResp());
  else answer(streamDeleted(stream), null);
}

export function softDelete(store: DoubleStore, stream: string): Promise<Appended> {
  return store.append(`$$${stream}`, 'any', [truncation('deleted')]);
}

export function hardDelete(store: DoubleStore, stream: string): Promise<Appended> {
  return store.append(stream, 'any', [tombstone()]);
}

function tombstone(): Proposed {
  const empty = new Uint8Array();
  const contentType = 'application/octet-stream';
  return { id: randomUUID(), type: tombstoneType, contentType, data: empty, metadata: empty };
}
