// `action-ledger export`: the record as lines of JSON, however long it is, in little memory. What is
// stored is printed; a row that cannot be read is told on standard error and passed over.
import { readEvents } from '@action-ledger/application';
import { lineOfEvent } from '@action-ledger/codec';
import { actionOfStream, type JsonObject, streamOfAction } from '@action-ledger/domain';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import { type Cli } from '../cli.ts';
import { printable } from '../format/printable.ts';
import { type PathOption } from '../ledger-file/ledger-path.ts';
import { readLedger } from '../ledger-file/read-ledger.ts';

export interface ExportCommand extends PathOption {
  readonly from: number;
  readonly tenant?: string;
}

/** Few at once: what is read waits until it is written. */
const batch = 500;

export async function exportEvents(cli: Cli, options: ExportCommand): Promise<void> {
  const { io } = cli;
  const { from, tenant } = options;
  await readLedger(io, options, async (store) => {
    const isWanted = tenant === undefined ? () => true : ofTenant(store, tenant);
    // Up to here: a ledger that runs beside would be followed without an end.
    const through = await store.head();
    const events = readEvents(store, {
      after: from - 1,
      through,
      batch,
      onDamaged: ({ position, through: last, reason }) => {
        io.err(`action-ledger: positions ${position} to ${last}: ${printable(reason)}\n`);
        cli.end(1);
      },
    });
    for await (const read of events) {
      let lines = '';
      for (const event of read) if (await isWanted(event)) lines += `${lineOfEvent(event)}\n`;
      if (lines === '') continue;
      io.out(lines);
      await io.drained?.();
    }
  });
}

function membersOf(metadata: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(metadata) as JsonObject;
  } catch {
    return {};
  }
}

/** Streams whose tenant is remembered; of another one the first event is read again. */
const rememberedMax = 10_000;

function ofTenant(
  store: EventStore,
  tenant: string,
): (event: RecordedEvent) => boolean | Promise<boolean> {
  const known = new Map<string, boolean>();
  const learn = (actionId: string, first: RecordedEvent | undefined): boolean => {
    const isOwn = first !== undefined && tenantIn(first) === tenant;
    if (known.size >= rememberedMax) known.clear();
    known.set(actionId, isOwn);
    return isOwn;
  };
  return (event) => {
    const { stream, revision } = event;
    const actionId = actionOfStream(stream) ?? heldIn(stream);
    if (actionId === undefined) return false;
    const remembered = known.get(actionId);
    if (remembered !== undefined) return remembered;
    if (revision === 0 && stream === streamOfAction(actionId)) return learn(actionId, event);
    return store
      .readStream(streamOfAction(actionId))
      .then(([first]) => learn(actionId, first))
      .catch(() => learn(actionId, undefined));
  };
}

/** Of the event that its stream begins with. */
function tenantIn({ type, data }: RecordedEvent): unknown {
  const said = membersOf(data);
  const state = said['state'] as { readonly tenant?: unknown } | undefined;
  return type === 'ActionArchived' ? state?.tenant : said['tenant'];
}

/** `quarantine-<id>` is about an action. */
function heldIn(stream: string): string | undefined {
  return /^quarantine-(.+)$/.exec(stream)?.[1];
}
