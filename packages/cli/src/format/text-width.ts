// How many columns of a terminal a text takes, and how it is broken into lines of so many.

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const wide =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\uff01-\uff60\uffe0-\uffe6\p{Emoji_Presentation}]/u;
const narrowText = /^[\x20-\x7e]*$/;

export function textWidth(text: string): number {
  if (narrowText.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}

/** Cut to the width, with an ellipsis where something was left out. */
export function cutText(text: string, widthMax: number): string {
  if (textWidth(text) <= widthMax) return text;
  return `${headOf(text, widthMax - 1)}…`;
}

export function padText(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const gap = ' '.repeat(Math.max(0, width - textWidth(text)));
  return align === 'left' ? text + gap : gap + text;
}

/**
 * Breaks between words; a word that is longer than a line is broken where the line ends, or after a comma
 * not far before it: such words are mostly JSON.
 */
export function wrapText(text: string, widthMax: number): readonly string[] {
  if (textWidth(text) <= widthMax) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (textWidth(longer) <= widthMax) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
    while (textWidth(line) > widthMax) {
      const whole = headOf(line, widthMax);
      const comma = whole.lastIndexOf(',') + 1;
      const head = comma > whole.length / 2 ? whole.slice(0, comma) : whole;
      lines.push(head);
      line = line.slice(head.length);
    }
  }
  if (line !== '') lines.push(line);
  return lines;
}

/** The same, but what stands in backticks is not broken where it fits into a line of its own. */
export function wrapProse(text: string, widthMax: number): readonly string[] {
  const joined = text.replace(/`[^`]+`/g, (code) =>
    textWidth(code) <= widthMax ? code.replaceAll(' ', joiner) : code,
  );
  return wrapText(joined, widthMax).map((line) => line.replaceAll(joiner, ' '));
}

/** Stands for a blank; as wide, and in no text that is shown. */
const joiner = '\u{e000}';

function headOf(text: string, widthMax: number): string {
  let head = '';
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    width += wide.test(segment) ? 2 : 1;
    // One character is taken in any case, so that breaking a line always gets on.
    if (width > widthMax && head !== '') break;
    head += segment;
  }
  return head;
}
