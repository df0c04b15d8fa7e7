// Commands about one action: approve, reject, edit, cancel, settle, check, repeat. Each carries the revision that was
// seen, and is on record with its author.
import { parseJson } from '@action-ledger/domain';
import { usageError } from '../cli-error.ts';
import { type Cli } from '../cli.ts';
import { printable } from '../format/printable.ts';
import { shortId } from '../ledger-file/find-action.ts';
import { pathSuffix } from '../ledger-file/ledger-path.ts';
import { openDoor } from './door.ts';
import { type DoorOptions } from './door-options.ts';
import { findTarget, pathOf, type Shown } from './target.ts';

export interface DecideOptions extends DoorOptions {
  readonly reason?: string;
  /** The revision that you saw; default: as it is now. */
  readonly revision?: number;
}

export interface SettleOptions extends DecideOptions {
  readonly found?: boolean;
  readonly absent?: boolean;
  readonly externalId?: string;
  readonly forced?: boolean;
}

export function vote(
  cli: Cli,
  id: string,
  vote: 'approve' | 'reject',
  options: DecideOptions,
): Promise<void> {
  return command(cli, id, options, ({ argumentsHash, revision }) => ({
    path: '/votes',
    body: { vote, argumentsHash, revisionSeen: options.revision ?? revision, ...reasonOf(options) },
  }));
}

export function cancel(cli: Cli, id: string, options: DecideOptions): Promise<void> {
  return command(cli, id, options, ({ revision }) => ({
    path: '/cancel',
    body: { revisionSeen: options.revision ?? revision, ...reasonOf(options) },
  }));
}

export function settle(cli: Cli, id: string, options: SettleOptions): Promise<void> {
  const { externalId, forced } = options;
  return command(cli, id, options, ({ revision }) => ({
    path: '/settle',
    body: {
      verdict: options.found === true ? 'found' : 'absent',
      revisionSeen: options.revision ?? revision,
      ...reasonOf(options),
      ...(externalId === undefined ? {} : { externalId }),
      ...(forced === undefined ? {} : { forced }),
    },
  }));
}

export function check(cli: Cli, id: string, options: DecideOptions): Promise<void> {
  return command(cli, id, options, ({ revision }) => ({
    path: '/check',
    body: { revisionSeen: options.revision ?? revision },
  }));
}

export interface RepeatOptions extends DecideOptions {
  readonly args?: string;
  readonly confirmedDouble?: boolean;
}

export function repeat(cli: Cli, id: string, options: RepeatOptions): Promise<void> {
  const { args, confirmedDouble } = options;
  const given = args === undefined ? {} : { arguments: argumentsOf(args) };
  return command(cli, id, options, ({ revision }) => ({
    path: '/repeat',
    body: {
      revisionSeen: options.revision ?? revision,
      ...reasonOf(options),
      ...given,
      ...(confirmedDouble === undefined ? {} : { confirmedDouble }),
    },
  }));
}

export interface EditOptions extends DecideOptions {
  readonly args: string;
}

export function edit(cli: Cli, id: string, options: EditOptions): Promise<void> {
  const given = argumentsOf(options.args);
  return command(cli, id, options, ({ revision }) => ({
    path: '/edit',
    body: {
      revisionSeen: options.revision ?? revision,
      ...reasonOf(options),
      arguments: given,
    },
  }));
}

export interface CloseIncidentOptions extends DecideOptions {
  readonly incident: string;
}

export function closeIncident(cli: Cli, id: string, options: CloseIncidentOptions): Promise<void> {
  return command(cli, id, options, ({ revision }) => ({
    path: `/incidents/${encodeURIComponent(options.incident)}/close`,
    body: { revisionSeen: options.revision ?? revision, ...reasonOf(options) },
  }));
}

/** Strict, as at every door: a member that is there twice is refused. */
function argumentsOf(text: string): unknown {
  const parsed = parseJson(text);
  if (parsed.kind === 'parsed') return parsed.value;
  throw usageError(
    `--args: ${parsed.message}`,
    'give the whole of the arguments as one JSON object.',
  );
}

interface Now extends Shown {
  readonly vote?: { readonly counted: boolean; readonly message?: string };
}

async function command(
  cli: Cli,
  id: string,
  options: DoorOptions,
  say: (seen: Shown) => { readonly path: string; readonly body: object },
): Promise<void> {
  const door = await openDoor(cli.io, options);
  try {
    const seen = await findTarget(cli, door, id);
    const { path, body } = say(seen);
    const asked = { method: 'POST', path: pathOf(seen.actionId, path), body } as const;
    const now = (await door.ask(asked, seen.tenant)) as Now;
    if (options.json === true) cli.json(now);
    else
      cli.io.out(
        `${lineOf(now)}\n${nextOf(now, door.path === undefined ? '' : pathSuffix(cli.io, door.path))}`,
      );
  } finally {
    await door.close();
  }
}

/** A vote that came too late is no fault: it says what was decided, by whom and when. */
function lineOf({ tool, actionId, state, vote: cast }: Now): string {
  const name = `${printable(tool)} ${shortId(actionId)}`;
  if (cast?.counted === false)
    return `${name}: the vote is not counted. ${printable(cast.message ?? '')}`.trimEnd();
  return `${name} is now ${state.replaceAll('_', ' ')}.`;
}

/** What happens without the author of the command, where something does. */
function nextOf({ actionId, state, vote: cast }: Now, file: string): string {
  const next = cast?.counted === false ? undefined : follows[state];
  if (next === undefined) return '';
  return `${next} Look: action-ledger actions show ${shortId(actionId)}${file}\n`;
}

const follows: Readonly<Record<string, string>> = {
  awaiting_approval: 'It waits for more votes.',
  ready: 'A running ledger that has its tool sends it next.',
  executing: 'It is being sent.',
  unknown: 'Its outcome is still not known.',
  failed: 'It ended without effect: the same may be proposed again.',
};

function reasonOf({ reason }: DecideOptions): { readonly reason?: string } {
  return reason === undefined ? {} : { reason };
}
