// `action-ledger evidence report`: what a person has found out about an action, named as its provider names it.
import { parseJson } from '@action-ledger/domain';
import { usageError } from '../cli-error.ts';
import { type Cli } from '../cli.ts';
import { printable } from '../format/printable.ts';
import { dateTime } from '../format/time.ts';
import { shortId } from '../ledger-file/find-action.ts';
import { openDoor } from './door.ts';
import { type DoorOptions } from './door-options.ts';

export interface ReportOptions extends DoorOptions {
  readonly tenant: string;
  readonly action?: string;
  readonly key?: string;
  readonly reference?: string;
  readonly tool?: string;
  readonly externalId?: string;
  readonly claims: string;
  readonly proven?: boolean;
  readonly neverHadEffect?: boolean;
  readonly source?: string;
  readonly id?: string;
  readonly data?: string;
}

interface Taken {
  readonly action?: { readonly actionId: string; readonly tool: string; readonly state: string };
  readonly waitsUntil?: number;
}

export async function reportEvidence(cli: Cli, options: ReportOptions): Promise<void> {
  const { action, key: downstreamKey, reference, tool, externalId } = options;
  const { claims, proven, neverHadEffect, source, id, data } = options;
  const said = { action, downstreamKey, reference, tool, externalId };
  const body = {
    ...said,
    ...{ claims, proven, neverHadEffect, source, id },
    ...(data === undefined ? {} : { data: jsonOf(data) }),
  };
  const door = await openDoor(cli.io, options);
  try {
    const asked = { method: 'POST', path: '/v1/evidence', body: given(body) } as const;
    const taken = (await door.ask(asked, options.tenant)) as Taken;
    if (options.json === true) cli.json(taken);
    else cli.io.out(`${lineOf(taken)}\n`);
  } finally {
    await door.close();
  }
}

function lineOf({ action, waitsUntil }: Taken): string {
  if (action === undefined)
    return `Kept. No action bears that name yet: it is matched when one does, until ${dateTime(waitsUntil ?? 0)} UTC.`;
  const { tool, actionId, state } = action;
  return `${printable(tool)} ${shortId(actionId)}: kept as evidence; it is ${state.replaceAll('_', ' ')}.`;
}

function given(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function jsonOf(text: string): unknown {
  const parsed = parseJson(text);
  if (parsed.kind === 'parsed') return parsed.value;
  throw usageError(`--data: ${parsed.message}`, 'give one JSON value.');
}
