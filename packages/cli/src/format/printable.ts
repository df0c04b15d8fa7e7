// Text from outside on a terminal: a tool's result may hold escape sequences that would move the
// cursor, hide a line or turn the reading direction. What cannot be seen is shown as its code.

/** Controls, separators of lines and paragraphs, marks of reading direction, lone surrogates. */
const unseen = /[\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\p{Cs}]/gu;

export function printable(text: string): string {
  return text.replace(unseen, escaped);
}

function escaped(character: string): string {
  switch (character) {
    case '\n':
      return '\\n';
    case '\r':
      return '\\r';
    case '\t':
      return '\\t';
    default:
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  }
}

/** JSON that a terminal shows as it is. */
export function printableJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, undefined, indent);
  // JSON.stringify leaves the characters from U+007F on as they are; its own line breaks stay.
  return text.replace(unseen, (character) => (character === '\n' ? character : escaped(character)));
}
