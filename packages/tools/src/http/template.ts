// Templates that fill requests with values: `{order.id}` is an argument, `{$key}` the downstream key. A
// text that is one placeholder takes the value as it is; inside other text it becomes text. `{{` and
// `}}` stand for braces. Nothing is evaluated.
import { isJsonObject, type JsonValue } from '@action-ledger/domain';

/** The value of a name, or undefined where there is none. */
export type Values = (name: string) => JsonValue | undefined;

export interface Template {
  /** Names used, without repetition. */
  readonly names: readonly string[];
  /** Undefined where the whole is one placeholder without a value. */
  readonly fill: (values: Values) => JsonValue | undefined;
}

/** @throws Error where a text has a stray brace */
export function compileTemplate(source: JsonValue): Template {
  if (typeof source === 'string') return compileText(source);
  if (Array.isArray(source)) return compileArray(source as readonly JsonValue[]);
  if (isJsonObject(source)) return compileObject(source);
  return { names: [], fill: () => source };
}

/** The parts of a text: literal text, or the name in a placeholder. */
export type Part = { readonly text: string } | { readonly name: string };

/** @throws Error where a text has a stray brace */
export function parseTemplate(source: string): readonly Part[] {
  const parts: Part[] = [];
  for (const [token] of source.matchAll(/\{\{|\}\}|\{[^{}]+\}|[^{}]+|[{}]/g)) {
    if (token === '{' || token === '}')
      throw new Error(`"${source}" has a stray brace; write {{ or }} for a brace`);
    if (token === '{{' || token === '}}') parts.push({ text: token.charAt(0) });
    else if (token.startsWith('{')) parts.push({ name: token.slice(1, -1) });
    else parts.push({ text: token });
  }
  return parts;
}

export function namesIn(parts: readonly Part[]): readonly string[] {
  return [...new Set(parts.flatMap((part) => ('name' in part ? [part.name] : [])))];
}

/** Text as a placeholder inside other text: nothing for a missing value, JSON for arrays and objects. */
export function asText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function compileText(source: string): Template {
  const parts = parseTemplate(source);
  const names = namesIn(parts);
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && 'name' in only)
    return { names, fill: (values) => values(only.name) };
  const fill = (values: Values): string =>
    parts.map((part) => ('name' in part ? asText(values(part.name)) : part.text)).join('');
  return { names, fill };
}

function compileArray(source: readonly JsonValue[]): Template {
  const items = source.map(compileTemplate);
  return {
    names: [...new Set(items.flatMap(({ names }) => names))],
    fill: (values) => items.map(({ fill }) => fill(values) ?? null),
  };
}

function compileObject(source: Readonly<Record<string, JsonValue>>): Template {
  const members = Object.entries(source).map(
    ([name, value]) => [name, compileTemplate(value)] as const,
  );
  return {
    names: [...new Set(members.flatMap(([, { names }]) => names))],
    fill: (values) =>
      Object.fromEntries(
        members.flatMap(([name, { fill }]) => {
          const value = fill(values);
          return value === undefined ? [] : [[name, value] as const];
        }),
      ),
  };
}
