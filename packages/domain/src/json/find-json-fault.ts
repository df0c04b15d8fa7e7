// The slow, exact reader: finds the first thing in a JSON text that the ledger refuses, and where.
// It accepts exactly what RFC 8259 allows, less duplicate members, `__proto__`, lone surrogates,
// numbers a double cannot hold as they were meant, and texts that are too deep.
import { type JsonFault, type JsonRefusalCode, type PathSegment } from './json-fault.ts';

interface Scan {
  readonly text: string;
  readonly depthMax: number;
  readonly path: PathSegment[];
  at: number;
}

export function findJsonFault(text: string, depthMax: number): JsonFault | undefined {
  const scan: Scan = { text, depthMax, path: [], at: 0 };
  const fault = scanValue(scan, 0);
  if (fault !== undefined) return fault;
  skipBlanks(scan);
  if (scan.at < text.length)
    return faultAt(scan, 'json.malformed', 'Text after the end of the JSON');
  return undefined;
}

function scanValue(scan: Scan, depth: number): JsonFault | undefined {
  skipBlanks(scan);
  const first = scan.text[scan.at];
  if (first === '{' || first === '[') {
    if (depth >= scan.depthMax) return tooDeep(scan);
    return first === '{' ? scanObject(scan, depth + 1) : scanArray(scan, depth + 1);
  }
  if (first !== '"') return scanScalar(scan);
  const scanned = scanString(scan);
  return typeof scanned === 'string' ? undefined : scanned;
}

function scanObject(scan: Scan, depth: number): JsonFault | undefined {
  const names = new Set<string>();
  scan.at += 1;
  skipBlanks(scan);
  if (take(scan, '}')) return undefined;
  for (;;) {
    const fault = scanMember(scan, names, depth);
    if (fault !== undefined) return fault;
    skipBlanks(scan);
    if (take(scan, '}')) return undefined;
    if (!take(scan, ',')) return unexpected(scan, 'A comma or a closing brace is missing');
    skipBlanks(scan);
  }
}

function scanMember(scan: Scan, names: Set<string>, depth: number): JsonFault | undefined {
  const start = scan.at;
  if (scan.text[start] !== '"') return unexpected(scan, 'A member name is missing');
  const name = scanString(scan);
  if (typeof name !== 'string') return name;
  scan.path.push(name);
  if (name === '__proto__') {
    return faultAt(scan, 'json.forbidden-member', 'The member name __proto__ is refused', start);
  }
  if (names.has(name)) {
    return faultAt(scan, 'json.duplicate-member', 'A member name occurs twice', start);
  }
  names.add(name);
  skipBlanks(scan);
  if (!take(scan, ':')) return unexpected(scan, 'A colon is missing');
  const fault = scanValue(scan, depth);
  if (fault === undefined) scan.path.pop();
  return fault;
}

function scanArray(scan: Scan, depth: number): JsonFault | undefined {
  scan.at += 1;
  skipBlanks(scan);
  if (take(scan, ']')) return undefined;
  for (let index = 0; ; index += 1) {
    scan.path.push(index);
    const fault = scanValue(scan, depth);
    if (fault !== undefined) return fault;
    scan.path.pop();
    skipBlanks(scan);
    if (take(scan, ']')) return undefined;
    if (!take(scan, ',')) return unexpected(scan, 'A comma or a closing bracket is missing');
  }
}

/** The decoded string, or its fault. */
function scanString(scan: Scan): string | JsonFault {
  const start = scan.at;
  scan.at += 1;
  let isEscaped = false;
  for (; ; scan.at += 1) {
    const unit = scan.text.charCodeAt(scan.at);
    if (Number.isNaN(unit)) return unexpected(scan, 'A string does not end');
    if (unit === 0x22) break;
    if (unit < 0x20) return unexpected(scan, 'A control character stands unescaped in a string');
    if (unit !== 0x5c) continue;
    isEscaped = true;
    const fault = scanEscape(scan);
    if (fault !== undefined) return fault;
  }
  scan.at += 1;
  const raw = scan.text.slice(start, scan.at);
  const decoded = isEscaped ? (JSON.parse(raw) as string) : raw.slice(1, -1);
  if (decoded.isWellFormed()) return decoded;
  return faultAt(scan, 'json.lone-surrogate', 'A string holds half of a surrogate pair', start);
}

const escapeForm = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const unfinishedEscape = /^\\(?:u[0-9a-fA-F]{0,3})?$/;

/** Leaves the position on the last character of the escape. */
function scanEscape(scan: Scan): JsonFault | undefined {
  escapeForm.lastIndex = scan.at;
  if (escapeForm.test(scan.text)) {
    scan.at = escapeForm.lastIndex - 1;
    return undefined;
  }
  if (unfinishedEscape.test(scan.text.slice(scan.at, scan.at + 6))) scan.at = scan.text.length;
  return unexpected(scan, 'A string holds an unknown escape');
}

const words = ['true', 'false', 'null'];
const notFinite = ['NaN', 'Infinity', '-Infinity'];
const numberForm = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const numberUnits = /[-+.\deE]*/y;
const unfinishedNumber = /^-?(?:(?:0|[1-9]\d*)(?:\.|(?:\.\d+)?[eE][+-]?))?$/;

function scanScalar(scan: Scan): JsonFault | undefined {
  const { text, at } = scan;
  const word = words.find((candidate) => text.startsWith(candidate, at));
  if (word !== undefined) {
    scan.at += word.length;
    return undefined;
  }
  if (notFinite.some((candidate) => text.startsWith(candidate, at))) {
    return faultAt(scan, 'json.number-not-finite', 'NaN and Infinity are not JSON numbers; found');
  }
  const literal = matchAt(numberForm, scan);
  const units = matchAt(numberUnits, scan);
  if (literal !== '' && units === literal) {
    scan.at += literal.length;
    return numberFault(scan, Number(literal), at);
  }
  const rest = text.slice(at);
  const isCutOff = unfinishedNumber.test(rest) || words.some((whole) => whole.startsWith(rest));
  scan.at = isCutOff ? text.length : at + literal.length;
  return unexpected(scan, 'A value is missing or malformed');
}

function matchAt(form: RegExp, scan: Scan): string {
  form.lastIndex = scan.at;
  return form.exec(scan.text)?.[0] ?? '';
}

function numberFault(scan: Scan, value: number, start: number): JsonFault | undefined {
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return undefined;
  if (!Number.isFinite(value)) {
    return faultAt(scan, 'json.number-not-finite', 'A number is too large for a double', start);
  }
  const problem = 'An integer beyond 2^53-1 would lose digits: send it as a string; found';
  return faultAt(scan, 'json.integer-unsafe', problem, start);
}

function tooDeep(scan: Scan): JsonFault {
  return faultAt(scan, 'json.too-deep', `Nesting deeper than ${scan.depthMax} levels`);
}

/** What is wrong at the position, unless it is the end: then the text was cut off. */
function unexpected(scan: Scan, problem: string): JsonFault {
  if (scan.at < scan.text.length) return faultAt(scan, 'json.malformed', problem);
  return faultAt(scan, 'json.truncated', 'The JSON text was cut off: it ends');
}

function faultAt(
  scan: Scan,
  code: JsonRefusalCode,
  problem: string,
  offset: number = scan.at,
): JsonFault {
  return { code, problem, path: [...scan.path], offset };
}

function skipBlanks(scan: Scan): void {
  for (; ; scan.at += 1) {
    const unit = scan.text.charCodeAt(scan.at);
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
  }
}

function take(scan: Scan, character: string): boolean {
  if (scan.text[scan.at] !== character) return false;
  scan.at += 1;
  return true;
}
