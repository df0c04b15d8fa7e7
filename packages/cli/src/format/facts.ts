// A page of facts: a label on the left, its text on the right, wrapped and set in.
import { type Paint, type Style } from './style.ts';
import { padText, textWidth, wrapText } from './text-width.ts';

/** A line break within the text starts a new line of it. */
export type Fact = readonly [label: string, text: string, paint?: Paint];

/** Where nobody says how wide the page is. */
const columnsUsual = 100;

export function renderFacts(
  facts: readonly Fact[],
  style: Style,
  columns: number = columnsUsual,
): string {
  const labelWidth = Math.max(...facts.map(([label]) => textWidth(label))) + 2;
  return facts
    .flatMap(([label, text, paint = plain]) =>
      text
        .split('\n')
        .flatMap((line) => wrapText(line, columns - labelWidth))
        .map((line, index) => {
          const start = padText(index === 0 ? label : '', labelWidth);
          return `${style.dim(start)}${paint(line)}`.trimEnd() + '\n';
        }),
    )
    .join('');
}

const plain: Paint = (text) => text;
