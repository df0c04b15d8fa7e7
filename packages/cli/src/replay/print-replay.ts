// A replayed stream for a person: a line per event, what it says, and the state after it.
import { type ActionEvent, type WorkflowEvent } from '@action-ledger/domain';
import { type Cli } from '../cli.ts';
import { stateText } from '../describe/action-text.ts';
import { eventText } from '../describe/event-text.ts';
import { count } from '../format/count.ts';
import { printable, printableJson } from '../format/printable.ts';
import { paintOf } from '../format/style.ts';
import { type Cell, type Column, renderTable } from '../format/table.ts';
import { dateOf, dateTime, timeOfDay } from '../format/time.ts';
import {
  paintOfWorkflow,
  workflowEventText,
  workflowStateText,
} from '../workflows/workflow-text.ts';
import { type Replay, type ReplayedEvent } from './replay-stream.ts';

const columns: readonly Column[] = [
  { title: 'REV', align: 'right' },
  { title: 'TIME (UTC)' },
  { title: 'EVENT' },
  { title: 'WHAT IT SAYS', widthMin: 16, wraps: true, linesMax: 16 },
  { title: 'STATE AFTER', widthMin: 17, wraps: true },
];

export function renderReplay(
  { style, io }: Cli,
  replay: Replay,
  untilMs: number | undefined,
): string {
  const { stream, events, left, broken } = replay;
  const lines = [
    `${style.bold(printable(stream))}${events.length === 0 ? '' : `, ${days(events)}`}\n`,
  ];
  const rows = events.map((event, index) => row(event, events[index - 1]));
  const hasStates = events.some((event) => event.action ?? event.workflow);
  const head = hasStates ? columns : columns.slice(0, -1);
  if (rows.length > 0)
    lines.push('\n', renderTable(head, rows.map(painted), { style, columns: io.columns }), '\n');
  if (broken !== undefined) {
    lines.push(
      style.bad(
        `DAMAGED at revision ${broken.revision}: ${printable(broken.reason)}. ${count(left, 'event')} from there on cannot be trusted; nothing in this stream runs.`,
      ),
      '\n',
    );
    return lines.join('');
  }
  const later =
    left === 0 || untilMs === undefined
      ? ''
      : `; ${count(left, 'event')} came after ${dateTime(untilMs, { ms: true })}`;
  lines.push(`${count(events.length, 'event')}${later}.\n`);
  return lines.join('');

  function painted(cells: readonly string[], index: number): readonly Cell[] {
    const { action, workflow } = events[index] ?? {};
    const state = cells[columns.length - 1] ?? '';
    if (action !== undefined)
      return [...cells.slice(0, -1), { text: state, paint: paintOf(style, action.status) }];
    if (workflow === undefined) return cells;
    const paint = paintOfWorkflow(style, workflow.status);
    return [...cells.slice(0, -1), { text: state, paint }];
  }
}

function row(event: ReplayedEvent, before: ReplayedEvent | undefined): readonly string[] {
  const { revision, at, type, by } = event;
  const isSameDay = before === undefined || dateOf(before.at) === dateOf(at);
  const said = saidBy(event);
  const author = by === undefined || said.includes(by) ? '' : ` (by ${printable(by)})`;
  return [
    String(revision),
    isSameDay ? timeOfDay(at) : dateTime(at, { ms: true }),
    printable(type),
    `${said}${author}`,
    stateAfter(event),
  ];
}

function saidBy({ type, data, at, action, workflow }: ReplayedEvent): string {
  if (action !== undefined) return eventText({ type, data } as ActionEvent, at);
  return workflow === undefined
    ? printableJson(data)
    : workflowEventText({ type, data } as WorkflowEvent);
}

function stateAfter({ at, action, workflow }: ReplayedEvent): string {
  if (action !== undefined) return stateText(action, at);
  return workflow === undefined ? '' : workflowStateText(workflow, at);
}

function days(events: readonly ReplayedEvent[]): string {
  const first = dateOf(events[0]?.at ?? 0);
  const last = dateOf(events.at(-1)?.at ?? 0);
  return first === last ? first : `${first} to ${last}`;
}
