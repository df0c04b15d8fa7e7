// The Append call: header, events, one answer. Bounds and refusals are those of a server; what a fault
// of the script makes of it stands here as well.
import { Metadata, type sendUnaryData, type ServerReadableStream, status } from '@grpc/grpc-js';
import type { AppendReq, AppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { type Expected } from './append-rules.ts';
import { type Appended, type Proposed, sizeOf } from './double-log.ts';
import { type DoubleStore } from './double-store.ts';
import { type AppendFault, type Faults } from './faults.ts';
import {
  expectedOf,
  nameOf,
  notLeader,
  proposedOf,
  refusal,
  streamDeleted,
  successMessage,
  unavailable,
  wrongVersionMessage,
} from './messages.ts';

/** Of a server up to 25.0. */
export const appendBytesMax = 1024 * 1024;
const senselessRevision = 4_294_967_295;

type Answer = sendUnaryData<AppendResp>;

export interface AppendDeps {
  readonly store: DoubleStore;
  readonly faults: Faults;
  readonly onAppend: () => void;
}

export function answerAppend(
  deps: AppendDeps,
  call: ServerReadableStream<AppendReq, AppendResp>,
  answer: Answer,
): void {
  let header: AppendReq.Options | undefined;
  const proposed: Proposed[] = [];
  let isWhole = true;
  call.on('data', (message: AppendReq) => {
    const event = message.getProposedMessage();
    if (event === undefined) header = message.getOptions();
    else {
      const next = proposedOf(event);
      if (next === undefined) isWhole = false;
      else proposed.push(next);
    }
  });
  const decide = (): void => {
    // A call that was given up ends as well: with the events that had arrived until then.
    if (call.cancelled) return;
    deps.onAppend();
    if (header === undefined || !isWhole) {
      answer(refusal(status.INVALID_ARGUMENT, 'A required property is missing.'), null);
      return;
    }
    const append = { stream: nameOf(header.getStreamIdentifier()), expected: expectedOf(header) };
    void take(deps, { ...append, proposed }, answer);
  };
  call.on('end', () => {
    // The end is told before the cancelling; whether there is one is found out by sending something.
    call.sendMetadata(new Metadata());
    setImmediate(decide);
  });
  // A client that gave up is not an error here.
  call.on('error', () => undefined);
}

interface Append {
  readonly stream: string;
  readonly expected: Expected;
  readonly proposed: readonly Proposed[];
}

async function take(deps: AppendDeps, append: Append, answer: Answer): Promise<void> {
  const { stream, proposed } = append;
  const bytes = proposed.reduce((sum, event) => sum + sizeOf(event), 0);
  const fault = deps.faults.takeAppend({ stream, ids: proposed.map(({ id }) => id) });
  const refused = bytes > appendBytesMax ? tooLarge() : refusedBy(fault);
  if (refused !== undefined) answer(refused, null);
  else if (fault === undefined) await takeSoundly(deps, append, answer);
  else await takeFaultily(deps, append, answer, fault);
}

async function takeSoundly({ store }: AppendDeps, append: Append, answer: Answer): Promise<void> {
  tell(append, await store.append(append.stream, append.expected, append.proposed), answer);
}

async function takeFaultily(
  { store }: AppendDeps,
  append: Append,
  answer: Answer,
  fault: AppendFault,
): Promise<void> {
  if (fault.kind === 'request lost') return;
  if (fault.kind === 'request late') await fault.until;
  const appended = await store.append(append.stream, append.expected, append.proposed);
  if (fault.kind === 'reply lost') return;
  if (fault.kind === 'reply late') await fault.until;
  if (fault.kind === 'broken after') answer(unavailable(), null);
  else if (fault.kind === 'wrong version told')
    answer(null, wrongVersionMessage('any', senselessRevision));
  else tell(append, appended, answer);
}

function refusedBy(fault: AppendFault | undefined): ReturnType<typeof refusal> | undefined {
  switch (fault?.kind) {
    case 'broken before':
      return unavailable();
    case 'not leader':
      return notLeader(fault.host, fault.port);
    case 'status':
      return refusal(fault.code, `Code ${fault.code} (injected).`);
    case 'request lost':
    case 'request late':
    case 'reply lost':
    case 'reply late':
    case 'broken after':
    case 'wrong version told':
    case undefined:
      return undefined;
  }
}

function tell({ stream, expected }: Append, appended: Appended, answer: Answer): void {
  switch (appended.kind) {
    case 'written': {
      const last = appended.records.at(-1);
      answer(null, successMessage(last?.revision ?? -1, last?.position));
      return;
    }
    case 'repeated':
      answer(null, successMessage(appended.last, appended.position));
      return;
    case 'wrong expected version':
      answer(null, wrongVersionMessage(expected, appended.actual));
      return;
    case 'stream deleted':
      answer(streamDeleted(stream), null);
  }
}

function tooLarge(): ReturnType<typeof refusal> {
  return refusal(status.INVALID_ARGUMENT, `Maximum Append Size of ${appendBytesMax} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(appendBytesMax),
  });
}
