// Tells the three kinds of JSON containers and scalars apart where TypeScript cannot: Array.isArray
// does not narrow readonly arrays.
import { type JsonObject, type JsonValue } from './json-value.ts';

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
