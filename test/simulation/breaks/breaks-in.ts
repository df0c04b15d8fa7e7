// The list of deliberate breaks: a name, the rule that it breaks, and what it changes in which source.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Break {
  readonly name: string;
  /** What it breaks. */
  readonly rule: string;
  readonly edits: readonly { readonly file: string; readonly find: string; readonly put: string }[];
}

export function breaksIn(folder: string): readonly Break[] {
  return JSON.parse(readFileSync(join(folder, 'breaks.json'), 'utf8')) as readonly Break[];
}
