// An action by what a person types: its id, its stream, or the beginning of its id as lists show it.
import { readEvents } from '@action-ledger/application';
import { actionOfStream, parseActionId } from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';
import { CliError } from '../cli-error.ts';
import { printable } from '../format/printable.ts';

/** Of the key in lists; 60 bits tell actions apart. */
const shortLength = 10;
const candidatesShown = 5;

/** `h3kx81AbQz.0`: enough to name the action in a command. */
export function shortId(actionId: string): string {
  const name = parseActionId(actionId);
  return name === undefined ? actionId : `${name.keyHash.slice(0, shortLength)}.${name.epoch}`;
}

/**
 * @param file what names the ledger in a command
 * @throws CliError `action.unknown`, `action.ambiguous`
 */
export async function findAction(store: EventStore, typed: string, file = ''): Promise<string> {
  const id = typed.startsWith('action-') ? typed.slice('action-'.length) : typed;
  const [, start = '', epoch] = /^([\w-]{1,43})(?:\.(\d{1,9}))?$/.exec(id) ?? [];
  if (start === '')
    throw unknownAction(typed, file, 'it is not an action id, and not the beginning of one');
  if (parseActionId(id) !== undefined) {
    const stored = await store.readStream(`action-${id}`);
    if (stored.length > 0) return id;
    throw unknownAction(typed, file, 'no stream of this ledger bears it');
  }
  const found = [...(await startingWith(store, start))].filter(
    (actionId) => epoch === undefined || actionId.endsWith(`.${epoch}`),
  );
  const [first] = found;
  if (first === undefined) throw unknownAction(typed, file, 'no action id begins so');
  if (found.length > 1) throw ambiguousAction(typed, found);
  return first;
}

async function startingWith(store: EventStore, start: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const prefix = `action-${start}`;
  const note = (stream: string): void => {
    const actionId = stream.startsWith(prefix) ? actionOfStream(stream) : undefined;
    if (actionId !== undefined) found.add(actionId);
  };
  const batches = readEvents(store, {
    after: 0,
    onDamaged: ({ stream }) => {
      note(stream);
    },
  });
  for await (const batch of batches) for (const { stream } of batch) note(stream);
  return found;
}

function unknownAction(typed: string, file: string, why: string): CliError {
  return new CliError(
    'action.unknown',
    `there is no action ${typed === '' ? '""' : printable(typed)}: ${why}`,
    {
      fix: `\`action-ledger actions list${file}\` shows the ids; the beginning of one is enough, and --path names ${file === '' ? 'another' : 'the'} file.`,
    },
  );
}

function ambiguousAction(typed: string, found: readonly string[]): CliError {
  const shown = found.slice(0, candidatesShown).map((actionId) => distinct(actionId, found));
  const more = found.length > candidatesShown ? ` and ${found.length - candidatesShown} more` : '';
  return new CliError(
    'action.ambiguous',
    `${found.length} action ids begin with ${printable(typed)}: ${shown.join(', ')}${more}`,
    { fix: 'type more of it; the number after the dot is the epoch.' },
  );
}

/** As short as it can be and still be the only one. */
function distinct(actionId: string, among: readonly string[]): string {
  const short = shortId(actionId);
  return among.some((other) => other !== actionId && shortId(other) === short) ? actionId : short;
}
