// Commands about one action: approve, reject, settle, check, cancel. Each carries the revision that was
// seen, and is on record with its author.
import { type Cli } from '../cli.ts';
import { printable } from '../format/printable.ts';
import { shortId } from '../ledger-file/find-action.ts';
import { type DoorOptions, openDoor } from './door.ts';
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

export function check(cli: Cli, id: string, options: DoorOptions): Promise<void> {
  return command(cli, id, options, ({ revision }) => ({
    path: '/check',
    body: { revisionSeen: revision },
  }));
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
    const asked = { ask: 'api', method: 'POST', path: pathOf(seen.actionId, path), body } as const;
    const now = (await door.ask(asked, seen.tenant)) as Now;
    if (options.json === true) cli.json(now);
    else cli.io.out(`${lineOf(now)}\n`);
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

function reasonOf({ reason }: DecideOptions): { readonly reason?: string } {
  return reason === undefined ? {} : { reason };
}
