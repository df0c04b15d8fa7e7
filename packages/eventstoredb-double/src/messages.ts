// Records and refusals as the messages of the protocol, and requests as plain values. The messages are
// those that the client's own package was generated with.
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js';
import type {
  AppendReq,
  AppendResp,
  ReadResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import { type Expected } from './append-rules.ts';
import { type LogRecord, type Proposed } from './double-log.ts';

/** 100 ns, since the Unix epoch. */
const ticksPerMs = 10_000n;

export function nameOf(identifier: StreamIdentifier | undefined): string {
  return identifier === undefined
    ? ''
    : Buffer.from(identifier.getStreamName_asU8()).toString('utf8');
}

export function identifierOf(stream: string): StreamIdentifier {
  return new shared.StreamIdentifier().setStreamName(Buffer.from(stream, 'utf8'));
}

export function expectedOf(options: {
  readonly hasAny: () => boolean;
  readonly hasNoStream: () => boolean;
  readonly hasStreamExists: () => boolean;
  readonly getRevision: () => string;
}): Expected {
  if (options.hasAny()) return 'any';
  if (options.hasNoStream()) return 'no stream';
  return options.hasStreamExists() ? 'stream exists' : Number(options.getRevision());
}

/** Undefined where what a server needs is missing. */
export function proposedOf(message: AppendReq.ProposedMessage): Proposed | undefined {
  const properties = message.getMetadataMap();
  const [type, contentType] = [properties.get('type'), properties.get('content-type')];
  if (type === undefined || contentType === undefined) return undefined;
  return {
    id: message.getId()?.getString() ?? '',
    type,
    contentType,
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

export function eventMessage(record: LogRecord): ReadResp {
  const position = String(record.position);
  const event = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(uuid(record.id))
    .setStreamIdentifier(identifierOf(record.stream))
    .setStreamRevision(String(record.revision))
    .setPreparePosition(position)
    .setCommitPosition(position)
    .setCustomMetadata(record.metadata)
    .setData(record.data);
  event
    .getMetadataMap()
    .set('type', record.type)
    .set('content-type', record.contentType)
    .set('created', String(BigInt(Math.floor(record.createdMs)) * ticksPerMs));
  return new streams.ReadResp().setEvent(
    new streams.ReadResp.ReadEvent().setEvent(event).setCommitPosition(position),
  );
}

export function checkpointMessage(position: number): ReadResp {
  const text = String(position);
  return new streams.ReadResp().setCheckpoint(
    new streams.ReadResp.Checkpoint().setCommitPosition(text).setPreparePosition(text),
  );
}

export function confirmationMessage(id: string): ReadResp {
  return new streams.ReadResp().setConfirmation(
    new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(id),
  );
}

export function caughtUpMessage(): ReadResp {
  return new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp());
}

export function notFoundMessage(stream: string): ReadResp {
  return new streams.ReadResp().setStreamNotFound(
    new streams.ReadResp.StreamNotFound().setStreamIdentifier(identifierOf(stream)),
  );
}

export function successMessage(last: number, position: number | undefined): AppendResp {
  const success = new streams.AppendResp.Success().setCurrentRevision(String(last));
  if (position === undefined) success.setNoPosition(new shared.Empty());
  else {
    const text = String(position);
    success.setPosition(
      new streams.AppendResp.Position().setCommitPosition(text).setPreparePosition(text),
    );
  }
  return new streams.AppendResp().setSuccess(success);
}

export function wrongVersionMessage(expected: Expected, actual: number | undefined): AppendResp {
  const wrong = new streams.AppendResp.WrongExpectedVersion();
  if (actual === undefined) wrong.setCurrentNoStream(new shared.Empty());
  else wrong.setCurrentRevision(String(actual));
  if (expected === 'any') wrong.setExpectedAny(new shared.Empty());
  else if (expected === 'no stream') wrong.setExpectedNoStream(new shared.Empty());
  else if (expected === 'stream exists') wrong.setExpectedStreamExists(new shared.Empty());
  else wrong.setExpectedRevision(String(expected));
  return new streams.AppendResp().setWrongExpectedVersion(wrong);
}

/** What a client is told in trailing metadata, beside the code. */
export function refusal(
  code: status,
  details: string,
  properties: Readonly<Record<string, string>> = {},
): ServiceError {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(properties)) metadata.set(name, value);
  return Object.assign(new Error(details), { code, details, metadata });
}

export function unavailable(): ServiceError {
  return refusal(status.UNAVAILABLE, 'The protocol double is unavailable (injected).');
}

export function noPlace(): ServiceError {
  return refusal(status.UNKNOWN, 'Unexpected ReadAllResult: Error');
}

export function streamDeleted(stream: string): ServiceError {
  return refusal(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });
}

export function notLeader(host: string, port: number): ServiceError {
  return refusal(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': host,
    'leader-endpoint-port': String(port),
  });
}

function uuid(id: string): UUID {
  return new shared.UUID().setString(id);
}
