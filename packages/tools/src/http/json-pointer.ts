// JSON Pointer (RFC 6901): `/error/code`; the empty text is the whole document.
import { type JsonValue } from '@action-ledger/domain';

export type JsonPointer = string;

/** @throws Error that names the first that is none */
export function checkPointers(pointers: readonly (JsonPointer | undefined)[]): void {
  for (const pointer of pointers)
    if (pointer !== undefined && !/^(?:\/(?:[^~]|~[01])*)?$/.test(pointer))
      throw new Error(`"${pointer}" is no JSON pointer; write "/member"`);
}

export function atPointer(
  document: JsonValue | undefined,
  pointer: JsonPointer,
): JsonValue | undefined {
  let value = document;
  for (const part of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return undefined;
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value) && !/^(?:0|[1-9]\d{0,8})$/.test(name)) return undefined;
    if (!Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, JsonValue>>)[name];
  }
  return value;
}
