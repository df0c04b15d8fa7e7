// JSON in UTF-8 at a door, parsed by the domain's strict reader. What JSON.parse would change or drop
// without a word is refused with its place; nothing is repaired.
import {
  type JsonLimits,
  type JsonRefusal,
  type ParsedJson,
  parseJson,
  refusal,
} from '@action-ledger/domain';

/** Of a whole proposal. Arguments alone are bounded by the ledger: 256 KiB, 32 deep, and they lie one deeper here. */
export const proposalJsonLimits: JsonLimits = { bytesMax: 320 * 1024, depthMax: 33 };

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @param what in the refusal: `body`, `value` */
export function readJson(
  bytes: Uint8Array,
  limits: JsonLimits,
  what: string,
): ParsedJson | JsonRefusal {
  const text = textOf(bytes);
  return text === undefined
    ? refusal('json.malformed', `The ${what} is not UTF-8.`)
    : parseJson(text, limits);
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
