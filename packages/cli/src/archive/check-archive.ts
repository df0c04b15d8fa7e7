// Compares what a ledger says of its archived actions with the files: each must hold the events up to the
// marker, chained to it, and they must lead to the state that the marker keeps. Where an action was
// archived more than once, that goes for every file down to its first event.
import {
  type ArchivedStreams,
  type BrokenRecord,
  createArchivedStreams,
  readEvents,
} from '@action-ledger/application';
import { canonicalJson, type Action, type JsonValue } from '@action-ledger/domain';
import { foldAction } from '@action-ledger/codec';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import { sha256 } from '../sha256.ts';
import { archiveFolderAt } from './archive-folder.ts';
import { markerIn } from './with-archive.ts';

export async function checkArchive(
  store: Pick<EventStore, 'head' | 'readAll'>,
  folder: string,
): Promise<readonly BrokenRecord[]> {
  const archives = createArchivedStreams(archiveFolderAt(folder), sha256);
  // A stream with two markers leads to the same file twice.
  const broken = new Map<string, BrokenRecord>();
  for await (const batch of readEvents(store, { after: 0, through: await store.head() })) {
    for (const event of batch) {
      if (markerIn(event) === undefined) continue;
      const { stream } = event;
      const detail = await whyBroken(archives, event);
      if (detail !== undefined)
        broken.set(`${stream} ${detail}`, { stream, invariant: 'archive-holds', detail });
    }
  }
  return [...broken.values()];
}

/** From a marker back to the first event of the stream, file by file. */
async function whyBroken(
  archives: ArchivedStreams,
  marked: RecordedEvent,
): Promise<string | undefined> {
  let event: RecordedEvent | undefined = marked;
  while (event !== undefined) {
    const marker = markerIn(event);
    if (marker === undefined) return undefined;
    if (marker === 'unreadable') return `its marker at revision ${event.revision} cannot be read`;
    const { file, through, previousHash } = marker;
    const end = { revision: through, hash: previousHash };
    const found = await archives.find(file, event.stream, end);
    if (found.kind !== 'whole') return found.reason;
    const why = whyOther(event, found.events);
    if (why !== undefined) return `${file} ${why}`;
    event = found.events[0];
  }
  return undefined;
}

function whyOther(marked: RecordedEvent, events: readonly RecordedEvent[]): string | undefined {
  const { stream } = marked;
  const held = foldAction(sha256, stream, events);
  if (held.kind === 'broken') return `does not fold at revision ${held.revision}: ${held.reason}`;
  const kept = foldAction(sha256, stream, [marked]);
  if (kept.kind === 'broken')
    return `cannot be compared with what the ledger keeps: ${kept.reason}`;
  const differs = differences(held.action, kept.action);
  return differs.length === 0
    ? undefined
    : `leads to another ${differs.join(', ')} than the ledger keeps`;
}

/** What repeats, epochs, undoers and workflows are answered from. */
const compared = [
  'status',
  'tenant',
  'tool',
  'key',
  'epoch',
  'identityVersion',
  'argumentsHash',
  'guarantee',
  'calls',
  'attempts',
  'downstreamKey',
  'undoes',
  'undoneBy',
  'ending',
  'supersededBy',
  'edited',
  'compensates',
  'compensatedBy',
  'workflow',
  'duplicates',
] as const satisfies readonly (keyof Action)[];

function differences(held: Action, kept: Action): readonly string[] {
  const cut = kept.archived?.cut ?? [];
  const differs: string[] = compared.filter((name) => !isSame(held[name], kept[name]));
  if (!cut.includes('arguments') && !isSame(held.arguments, kept.arguments))
    differs.push('arguments');
  const result = cut.includes('result') ? digested : whole;
  if (!isSame(result(held), result(kept))) differs.push('outcome');
  return differs;
}

function whole({ outcome }: Action): unknown {
  return outcome;
}

/** Of a result of which a part is kept, all the rest and a digest of the whole. */
function digested({ outcome }: Action): unknown {
  if (outcome === undefined) return undefined;
  const { at, externalId, result, digest = sha256(canonicalJson(result)) } = outcome;
  return { at, externalId, digest };
}

/** As JSON: a member that is undefined counts as missing. */
function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson({ value: a } as JsonValue) === canonicalJson({ value: b } as JsonValue);
}
