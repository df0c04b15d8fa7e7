// `action-ledger unknown list`: of the file itself, beside whoever has it, those of every tenant; over HTTP
// those of the key's tenant.
import { answerFor, rowOf, unknownPlace } from '@action-ledger/application';
import { type Action } from '@action-ledger/domain';
import { type Cli } from '../cli.ts';
import { printable } from '../format/printable.ts';
import { dateTime, duration } from '../format/time.ts';
import { type DoorOptions } from './door-options.ts';
import { listDesk } from './list-desk.ts';

export interface ListUnknownsOptions extends DoorOptions {
  readonly tenant?: string;
  readonly owner?: 'operator' | 'reconciler';
}

interface Unknown {
  readonly action: string;
  readonly tenant: string;
  readonly tool: string;
  readonly guarantee: string;
  readonly owner?: string;
  readonly nextCheckAt?: number;
  readonly ageMs: number;
  readonly checks: number;
}

export async function listUnknowns(cli: Cli, options: ListUnknownsOptions): Promise<void> {
  const { owner } = options;
  const nowMs = cli.io.runtime.clock.wallMs();
  await listDesk<Unknown>(cli, options, {
    name: 'unknowns',
    status: 'unknown',
    query: owner === undefined ? {} : { owner },
    fits: (action) => owner === undefined || unknownPlace(rowOf(action)).owner === owner,
    rowsOf: (actions) => [...actions].sort(byPlace).map((action) => unknownOf(action, nowMs)),
    columns,
    cellsOf,
    none: 'Nothing is unknown.',
    one: 'unknown outcome',
  });
}

/** What waits for a person first, then the oldest before. */
function byPlace(a: Action, b: Action): number {
  const [one, other] = [unknownPlace(rowOf(a)), unknownPlace(rowOf(b))];
  return one.owner === other.owner
    ? one.since - other.since
    : one.owner.localeCompare(other.owner, 'en');
}

/** As the HTTP API lists it. */
function unknownOf(action: Action, nowMs: number): Unknown {
  const unknownSince = action.unknownSince ?? action.updatedAt;
  const { messageForModel } = answerFor(action, { repeat: true });
  return {
    ...rowOf(action),
    unknownSince,
    ageMs: Math.max(0, nowMs - unknownSince),
    checks: action.checks,
    messageForModel,
  } as Unknown;
}

const columns = [
  { title: 'TOOL', widthMin: 12 },
  { title: 'GUARANTEE' },
  { title: 'UNKNOWN FOR', align: 'right' },
  { title: 'CHECKS', align: 'right' },
  { title: 'LOOKS AFTER IT' },
  { title: 'NEXT CHECK (UTC)' },
] as const;

function cellsOf({ tool, guarantee, ageMs, checks, owner, nextCheckAt }: Unknown): string[] {
  return [
    printable(tool),
    guarantee,
    duration(ageMs),
    String(checks),
    owner ?? '',
    nextCheckAt === undefined ? '' : dateTime(nextCheckAt),
  ];
}
