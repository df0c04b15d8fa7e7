// The demo as cards for a person: what happened, what the ledger answered, what the provider counted.
import { count } from '../format/count.ts';
import { printable } from '../format/printable.ts';
import { type Style } from '../format/style.ts';
import { padText, textWidth, wrapText } from '../format/text-width.ts';
import { type CaseResult } from './demo-case.ts';
import { type DemoResult } from './run-demo.ts';

export interface Page {
  readonly style: Style;
  readonly columns: number | undefined;
}

/** Longer lines are hard to read, however wide the terminal is. */
const columnsMax = 110;
const indent = '    ';

export function renderDemo(result: DemoResult, page: Page): string {
  const width = Math.min(columnsMax, page.columns ?? columnsMax);
  const cards = result.cases.map((each) => renderCard(each, page.style, width));
  return `${renderHead(page.style, width)}\n${cards.join('\n')}\n${renderEnd(result, page.style, width)}`;
}

function renderHead(style: Style, width: number): string {
  const text =
    'How agents act twice, and what a ledger does about it. Each case was played just now, against a provider in this process that counts its effects: once through the ledger, and once by an agent that calls the provider itself and tries again on errors.';
  return block(text, width, '', style.dim);
}

function renderCard(result: CaseResult, style: Style, width: number): string {
  const number = padText(String(result.number), 2, 'right');
  const tool = `${result.tool} · ${result.guarantee}`;
  const title = `${number}  ${result.title}`;
  const room = width - textWidth(title) - textWidth(tool);
  const right = room >= 2 ? ' '.repeat(room) + style.dim(tool) : `\n${indent}${style.dim(tool)}`;
  const steps = result.steps.map(({ happened, answered }) => {
    const told = block(printable(happened), width, indent);
    if (answered === undefined) return told;
    return told + block(printable(answered), width, `${indent}  → `, style.bold);
  });
  return `${style.bold(title)}${right}\n${steps.join('')}${renderCount(result, style, width)}`;
}

function renderCount({ effects, wrong, ok }: CaseResult, style: Style, width: number): string {
  const { wanted, counted, withoutLedger } = effects;
  const counts = `${count(counted, 'effect')}, as wanted`;
  const without = withoutLedger - wanted;
  const bare =
    without === 0
      ? style.dim(`without a ledger: ${withoutLedger}, by luck`)
      : style.bad(`without a ledger: ${withoutLedger}`);
  if (ok) return `${indent}${style.good(`✓ ${counts}`)}   ${bare}\n`;
  return block(`WRONG: ${printable(wrong.join('; '))}`, width, `${indent}✗ `, style.bad);
}

function renderEnd(
  { cases, effects, ok, seconds }: DemoResult,
  style: Style,
  width: number,
): string {
  const wrong = cases.filter((each) => !each.ok).length;
  const { wanted, counted, withoutLedger } = effects;
  const verdict = ok
    ? style.good(`${count(cases.length, 'case')}, each as wanted.`)
    : style.bad(`${wrong} of ${count(cases.length, 'case')} went wrong.`);
  const facts = `${count(wanted, 'effect')} wanted, ${counted} counted; without a ledger the same happenings had ${withoutLedger}. ${seconds} s, nothing left behind.`;
  const next = [
    'Wrap a tool of your own: see README.md.',
    'Play recorded agent traffic with faults: action-ledger play --help',
  ];
  return `${verdict}\n${block(facts, width, '')}\nNext\n${next.map((line) => block(line, width, '  ')).join('')}`;
}

/** Lines within the width; those after the first are set in as far as the first one's text. */
function block(
  text: string,
  width: number,
  start: string,
  paint: (line: string) => string = (line) => line,
): string {
  const rest = ' '.repeat(textWidth(start));
  return wrapText(text, width - textWidth(start))
    .map((line, index) => `${index === 0 ? start : rest}${paint(line)}\n`)
    .join('');
}
