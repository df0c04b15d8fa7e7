// Tables for people: a head, aligned columns, no lines. In a terminal they keep to its width: columns
// that may wrap do, the others are cut. In a pipe nothing is cut or wrapped; a text that is longer than others
// pushes the rest of its own line to the right, and no other line.
import { type Paint, type Style } from './style.ts';
import { cutText, padText, textWidth, wrapText } from './text-width.ts';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Gives way where the table is too wide, down to so many columns. */
  readonly widthMin?: number;
  readonly wraps?: boolean;
  /** Of a cell that wraps; what is longer is cut. A text from outside must not push the rest away. */
  readonly linesMax?: number;
}

/** A line break within a cell starts a new line of it. */
export type Cell = string | { readonly text: string; readonly paint: Paint };

export interface TableOptions {
  readonly style: Style;
  readonly columns: number | undefined;
  readonly indent?: number;
}

const gap = '  ';

export function renderTable(
  head: readonly Column[],
  rows: readonly (readonly Cell[])[],
  options: TableOptions,
): string {
  const indent = ' '.repeat(options.indent ?? 0);
  const widths = fit(head, rows, options.columns, indent.length);
  const titles = head.map(({ title }) => ({ text: title, paint: options.style.dim }));
  return [titles, ...rows]
    .map((row) => renderRow(head, widths, row, options.columns === undefined))
    .flat()
    .map((line) => `${indent}${line}`.trimEnd() + '\n')
    .join('');
}

function renderRow(
  head: readonly Column[],
  widths: readonly number[],
  row: readonly Cell[],
  isWhole: boolean,
): readonly string[] {
  const cells = head.map((column, index) => {
    const cell = row[index] ?? '';
    const { text, paint } = typeof cell === 'string' ? { text: cell, paint: plain } : cell;
    const width = widths[index] ?? 0;
    const lines = isWhole ? text.split('\n') : linesOf(text, column, width);
    return { lines, paint, width, align: column.align };
  });
  const height = Math.max(...cells.map(({ lines }) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    cells
      .map(({ lines, paint, width, align }) => paintPadded(lines[line] ?? '', width, align, paint))
      .join(gap),
  );
}

function linesOf(
  text: string,
  { wraps, linesMax = Infinity }: Column,
  width: number,
): readonly string[] {
  const broken = text.split('\n');
  if (wraps !== true) return broken.map((line) => cutText(line, width));
  const lines = broken.flatMap((line) => wrapText(line, width));
  if (lines.length <= linesMax) return lines;
  const last = cutText(lines.slice(linesMax - 1).join(' '), width);
  return [...lines.slice(0, linesMax - 1), last];
}

/** The padding stays unpainted, so that trailing blanks can be trimmed. */
function paintPadded(
  text: string,
  width: number,
  align: 'left' | 'right' | undefined,
  paint: Paint,
): string {
  const padding = padText('', width - textWidth(text));
  return align === 'right' ? padding + paint(text) : paint(text) + padding;
}

const plain: Paint = (text) => text;

/** What may wrap is in a pipe at most so wide for all lines. */
const pipeMax = 100;

function fit(
  head: readonly Column[],
  rows: readonly (readonly Cell[])[],
  columns: number | undefined,
  indent: number,
): readonly number[] {
  const widths = head.map(({ title }, index) =>
    Math.max(textWidth(title), ...rows.map((row) => cellWidth(row[index] ?? ''))),
  );
  if (columns === undefined)
    return widths.map((width, at) => (head[at]?.wraps === true ? Math.min(width, pipeMax) : width));
  const room = columns - indent - gap.length * (head.length - 1);
  for (;;) {
    const over = widths.reduce((sum, width) => sum + width, 0) - room;
    const widest = widestThatGives(head, widths);
    if (over <= 0 || widest === undefined) return widths;
    // One step at a time evens out what several wide columns give.
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}

function widestThatGives(head: readonly Column[], widths: readonly number[]): number | undefined {
  let widest: number | undefined;
  for (const [index, { widthMin }] of head.entries()) {
    const width = widths[index] ?? 0;
    if (widthMin === undefined || width <= widthMin) continue;
    if (widest === undefined || width > (widths[widest] ?? 0)) widest = index;
  }
  return widest;
}

function cellWidth(cell: Cell): number {
  const text = typeof cell === 'string' ? cell : cell.text;
  return Math.max(...text.split('\n').map(textWidth));
}
