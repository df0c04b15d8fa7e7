// A play's end for a person: what was played, what became of it, what went wrong on purpose, and the
// verdict of the provider's own count.
import { type WritePoint, writePoints } from '@action-ledger/application';
import { type Action } from '@action-ledger/domain';
import { count, thousands } from '../format/count.ts';
import { printable } from '../format/printable.ts';
import { type Paint, type Style } from '../format/style.ts';
import { type Cell, renderTable } from '../format/table.ts';
import { type Played } from './play.ts';
import { isSound, type PlaySummary } from './play-summary.ts';

export interface Page {
  readonly style: Style;
  readonly columns: number | undefined;
}

type Row = readonly [what: string, number: number, note?: string, paint?: Paint];

export function renderPlayed(played: Played, summary: PlaySummary, page: Page): string {
  const { style } = page;
  const parts = [
    `${headline(played)}\n`,
    table(whatWasPlayed(played, summary), page),
    ...section('What went wrong on purpose', table(whatWentWrong(played), page), style),
    ...section('By the provider’s own count', table(verdictRows(summary, style), page), style),
    ...takenByTheWorld(played),
    `\n${verdictLine(summary, style)}\n`,
  ];
  return parts.join('');
}

function headline({ tally, playSeconds }: Played): string {
  const { runs, calls, reads } = tally.counts;
  const writes = calls - reads;
  const rate =
    playSeconds > 0 ? ` (${thousands(Math.round(writes / playSeconds))} writes per second)` : '';
  return `Played ${count(runs, 'run')} in ${playSeconds.toFixed(1)} s${rate}\n`;
}

function whatWasPlayed({ tally, verdict }: Played, summary: PlaySummary): readonly Row[] {
  const { counts } = tally;
  const { unknown } = summary;
  const rows: readonly Row[] = [
    [
      'calls',
      summary.calls,
      `${thousands(counts.reads)} reads, ${thousands(summary.calls - counts.reads)} writes`,
    ],
    ['actions', summary.actions, 'logical actions, each with one identity'],
    ['  succeeded', summary.succeeded],
    ['  failed', summary.failed, 'refused by the recorded world, without effect'],
    ['  unknown', unknown.open, byTool(verdict.open)],
    ['  waiting', verdict.waiting, 'planned behind an undo whose outcome is unknown'],
    ['effects', summary.effects, 'as the provider counts them'],
    [
      'duplicates suppressed',
      summary.duplicatesSuppressed,
      'recorded calls that got what an earlier one had brought about',
    ],
    ['conflicts refused', summary.conflictsRefused, 'the same identity with other arguments'],
    ['invalid refused', summary.invalidRefused, takenNote(tally.takenByTheWorldCount())],
    ['unknown tools', counts.unknownTools, 'invented by the model'],
    ['refused for good', counts.exhausted, 'ten attempts in a row without effect'],
    ['deferred', summary.deferred, 'waited for an undo'],
  ];
  const always = new Set([
    'calls',
    'actions',
    '  succeeded',
    '  failed',
    'effects',
    'duplicates suppressed',
  ]);
  return rows.filter(([what, number]) => number > 0 || always.has(what));
}

function takenNote(taken: number): string {
  return taken === 0
    ? ''
    : `${count(taken, 'of them was', 'of them were')} taken by the recorded world`;
}

/** `2 send_money (manual), 1 pay (lookup)` */
function byTool(open: readonly Action[]): string {
  const tools = new Map<string, number>();
  for (const { tool, guarantee } of open) {
    const name = `${tool} (${guarantee})`;
    tools.set(name, (tools.get(name) ?? 0) + 1);
  }
  const sorted = [...tools].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return `with an operator: ${sorted.map(([name, number]) => `${number} ${name}`).join(', ')}`;
}

function whatWentWrong(played: Played): readonly Row[] {
  const { tally, drawn, kills, workersKilled, serverKills, verdict } = played;
  const { found, absent } = verdict.unknown;
  const byPoint = writePoints
    .map((point) => [point, kills.filter((kill) => kill.point === point).length] as const)
    .filter(([, number]) => number > 0)
    .map(([point, number]: readonly [WritePoint, number]) => `${point} ${number}`)
    .join(', ');
  const rows: readonly Row[] = [
    ['lost responses', drawn.lostResponses, 'took effect or were refused, and nobody was told'],
    ['timeouts', drawn.timeouts, 'no reply; half of them took effect'],
    [
      'delivered twice',
      tally.counts.redelivered,
      'by this play; not among the duplicates suppressed',
    ],
    ['kills', kills.length, `of ${count(workersKilled, 'process', 'processes')}: ${byPoint}`],
    ['server kills', serverKills, 'with -9; its callers asked again'],
    ['found by lookup', found, 'unknown outcomes that had taken effect'],
    ['proven absent', absent, 'unknown outcomes without effect'],
  ];
  return rows.filter(([, number]) => number > 0);
}

function verdictRows(summary: PlaySummary, { good, bad }: Style): readonly Row[] {
  const { doubledEffects, lostEffects, ownerless, brokenInvariants } = summary;
  const row = (what: string, number: number, note: string): Row => [
    what,
    number,
    note,
    number === 0 ? good : bad,
  ];
  return [
    row('doubled effects', doubledEffects, 'more than one for an action'),
    row('lost effects', lostEffects, 'told as done without one, or had and not known of'),
    row('without an owner', ownerless, 'unknown, and nobody looks after it'),
    row('broken invariants', brokenInvariants.length, 'of every stream, its chain and its links'),
  ];
}

function table(rows: readonly Row[], { style, columns }: Page): string {
  if (rows.length === 0) return '';
  const cells = rows.map(([what, number, note = '', paint]): readonly Cell[] => [
    what,
    paint === undefined ? thousands(number) : { text: thousands(number), paint },
    { text: printable(note), paint: style.dim },
  ]);
  const head = [
    { title: '' },
    { title: '', align: 'right' as const },
    { title: '', wraps: true, widthMin: 20 },
  ];
  return renderTable(head, cells, { style, columns, indent: 2 }).replace(/^\n/, '');
}

function section(title: string, body: string, { bold }: Style): readonly string[] {
  return body === '' ? [] : [`\n${bold(title)}\n`, body];
}

const brokenShown = 10;

function takenByTheWorld({ tally }: Played): readonly string[] {
  if (tally.takenByTheWorld.length === 0) return [];
  const lines = tally.takenByTheWorld.map(
    ({ run, seq, tool, reason }) => `  ${printable(`${run} #${seq} ${tool}: ${reason}`)}\n`,
  );
  const more = tally.takenByTheWorldCount() - lines.length;
  const rest = more > 0 ? [`  and ${thousands(more)} more\n`] : [];
  return ['\nRefused here, taken by the recorded world\n', ...lines, ...rest];
}

function verdictLine(summary: PlaySummary, { good, bad }: Style): string {
  if (isSound(summary)) return good('Nothing doubled, nothing lost, every unknown has an owner.');
  const broken = summary.brokenInvariants
    .slice(0, brokenShown)
    .map(
      ({ stream, invariant, detail }) => `\n  ${printable(`${stream} ${invariant}: ${detail}`)}`,
    );
  return bad(`WRONG: see above.${broken.join('')}`);
}
