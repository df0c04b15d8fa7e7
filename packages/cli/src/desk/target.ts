// The action that a command names, as it stands now, and whose it is.
import { parseActionId, streamOfAction } from '@action-ledger/domain';
import { foldAction } from '@action-ledger/codec';
import { type Cli } from '../cli.ts';
import { CliError } from '../cli-error.ts';
import { printable } from '../format/printable.ts';
import { findAction } from '../ledger-file/find-action.ts';
import { pathSuffix } from '../ledger-file/ledger-path.ts';
import { readLedger } from '../ledger-file/read-ledger.ts';
import { sha256 } from '../sha256.ts';
import { type Door } from './door.ts';

/** As the HTTP API shows it: what commands need of it. */
export interface Shown {
  readonly actionId: string;
  readonly tenant: string;
  readonly tool: string;
  readonly state: string;
  readonly revision: number;
  readonly argumentsHash: string;
  readonly arguments: unknown;
}

/** @throws CliError `action.unknown`, `action.ambiguous` */
export async function findTarget(cli: Cli, door: Door, typed: string): Promise<Shown> {
  const { actionId, tenant } = await named(cli, door, typed);
  return (await door.ask({ method: 'GET', path: pathOf(actionId) }, tenant)) as Shown;
}

export function pathOf(actionId: string, command = ''): string {
  return `/v1/actions/${encodeURIComponent(actionId)}${command}`;
}

/** On this machine the beginning of an id is enough, and the tenant need not be named. */
async function named(
  cli: Cli,
  { path }: Door,
  typed: string,
): Promise<{ readonly actionId: string; readonly tenant: string }> {
  if (path === undefined) {
    if (parseActionId(typed) === undefined)
      throw new CliError('action.unknown', `${printable(typed)} is not a whole action id.`, {
        fix: 'at a URL the whole id is needed, with the number at its end: the lists print it there, such as `action-ledger unknown list --url URL`.',
      });
    return { actionId: typed, tenant: '' };
  }
  return readLedger(cli.io, { path }, async (store) => {
    const actionId = await findAction(store, typed, pathSuffix(cli.io, path));
    const stream = streamOfAction(actionId);
    const folded = foldAction(sha256, stream, await store.readStream(stream));
    // Of a damaged one the ledger says so itself.
    return { actionId, tenant: folded.kind === 'broken' ? 'default' : folded.action.tenant };
  });
}
