// What is known of a lost time, for people and for programs.
import { type Cli } from '../cli.ts';
import { count, thousands } from '../format/count.ts';
import { type Fact, renderFacts } from '../format/facts.ts';
import { printable } from '../format/printable.ts';
import { renderTable } from '../format/table.ts';
import { dateTime, duration, isoTime } from '../format/time.ts';
import { shortId } from '../ledger-file/find-action.ts';
import { type Loss, type LostAction, type OpenAction } from './find-loss.ts';

/** An action that ran to its end has so many events at least. */
const eventsPerAction = 4;
const shownMax = 20;

export function lossJson(path: string, { gap, actions, open, ...loss }: Loss): object {
  const { condition, head, events, knownUntil, endedAt, mark, missing } = gap;
  return {
    path,
    condition: condition.kind,
    ...(condition.kind === 'recovering' ? { reason: condition.reason } : {}),
    head,
    events,
    knownUntil: isoTime(knownUntil),
    endedAt,
    mark,
    missing: missing.map(([first, last]) => ({ first, last })),
    eventsMissing: loss.eventsMissing,
    actions,
    open: open.map(({ action, lookup }) => ({
      action: action.id,
      tenant: action.tenant,
      tool: action.tool,
      guarantee: action.guarantee,
      status: action.status,
      ...('says' in lookup ? { lookup: lookup.says } : {}),
    })),
    doubtMs: loss.doubtMs,
  };
}

/** @param suffix with which the ledger is named to the command line */
export function lossText(cli: Cli, path: string, loss: Loss, suffix: string): string {
  const { style, io } = cli;
  const { condition, events } = loss.gap;
  if (condition.kind === 'ready')
    return `${style.good('Ready:')} ${path} is not recovering; it holds ${count(events, 'event')}.\n`;
  const parts = [
    renderFacts(factsOf(cli, path, condition.reason, loss), style, io.columns),
    ...(loss.actions.length === 0 ? [] : [lostTable(cli, loss.actions)]),
    ...(loss.open.length === 0 ? [] : [openTable(cli, loss.open)]),
    afterwards(loss, suffix),
  ];
  return parts.join('\n');
}

function factsOf({ style }: Cli, path: string, reason: string, loss: Loss): readonly Fact[] {
  const { gap, eventsMissing, actions } = loss;
  const until = gap.knownUntil === 0 ? 'not known' : `${dateTime(gap.knownUntil)} UTC`;
  const inside = gap.missing.slice(0, shownMax).map(([first, last]) => range(first, last));
  const beyond = gap.mark > gap.endedAt ? [range(gap.endedAt + 1, gap.mark)] : [];
  const missing = [...inside, ...beyond].join(', ');
  const facts: Fact[] = [
    ['ledger', printable(path)],
    ['recovering', printable(reason), style.open],
    ['whole until', until],
    ['ends at', `position ${thousands(gap.endedAt)}, ${count(gap.events, 'event')}`],
    ['missing', missing === '' ? 'what was recorded later; how much is not known' : missing],
  ];
  if (eventsMissing > 0) {
    const most = Math.floor(eventsMissing / eventsPerAction);
    const inFull = `of actions that ran to their end ${thousands(most)} at most`;
    facts.push(['lost', `${count(eventsMissing, 'event')}; ${inFull}`]);
  }
  if (actions.length > 0) facts.push(['known by name', count(actions.length, 'action')]);
  return facts;
}

function range(first: number, last: number): string {
  return first === last ? `position ${first}` : `positions ${first} to ${last}`;
}

function lostTable({ style, io }: Cli, actions: readonly LostAction[]): string {
  const rows = actions
    .slice(0, shownMax)
    .map(({ action, tenant, tool, status, plannedAt, externalId }) => [
      shortId(action),
      printable(tenant),
      printable(tool),
      status ?? 'a repeat of it was held back',
      plannedAt === undefined ? '' : dateTime(plannedAt),
      printable(externalId ?? ''),
    ]);
  const columns = ['MISSING', 'TENANT', 'TOOL', 'WAS', 'PLANNED (UTC)', 'EXTERNAL ID'];
  const table = renderTable(
    columns.map((title) => ({ title })),
    rows,
    { style, columns: io.columns },
  );
  return `${table}${more(actions.length)}`;
}

function openTable({ style, io }: Cli, open: readonly OpenAction[]): string {
  const rows = open
    .slice(0, shownMax)
    .map(({ action, lookup }) => [
      shortId(action.id),
      printable(action.tenant),
      printable(action.tool),
      action.status,
      action.guarantee,
      printable('says' in lookup ? lookup.says : `not asked: ${lookup.notAsked}`),
    ]);
  const columns = ['OPEN THEN', 'TENANT', 'TOOL', 'WAS', 'GUARANTEE', 'LOOKUP'];
  const table = renderTable(
    columns.map((title) => ({ title })),
    rows,
    { style, columns: io.columns },
  );
  return `${table}${more(open.length)}`;
}

function more(all: number): string {
  return all > shownMax ? `${count(all - shownMax, 'more', 'more')}; --json has all.\n` : '';
}

function afterwards({ doubtMs }: Loss, file: string): string {
  const during = doubtMs === 0 ? 'soon' : `within ${duration(doubtMs)}`;
  return `If a newer file exists, restore that instead. Else find out what was done, then:
  action-ledger recover --confirm --by NAME --reason "what was found out"${file}
What was open then, and what is proposed for the first time ${during} after that, starts in doubt:
lookups are asked, an idempotent or natural write is sent again, the rest waits for a person.
`;
}
