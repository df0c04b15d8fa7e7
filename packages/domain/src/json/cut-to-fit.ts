// Cuts a JSON value until its canonical text fits: long texts, lists and objects lose their ends, in
// steps, and only as much as needed. Members that are declared to be kept stay whole: they find or
// match an effect later. Cutting what was cut changes nothing.
import { type FieldPath } from '../identity/declaration.ts';
import { canonicalJson } from './canonical-json.ts';
import { isJsonObject } from './is-json-object.ts';
import { type JsonObject, type JsonValue } from './json-value.ts';
import { isLongerThan } from './utf8-length.ts';

export interface CutJson {
  readonly value: JsonValue;
  readonly text: string;
  readonly note: string;
}

/** Half of what an event holds: kept members beyond it are cut like others, or nothing would be stored. */
const keepBytesMax = 256 * 1024;

/** A text may take the limit divided by the step, a list or object an eighth of that in items. */
const steps = [2, 8, 32, 128, 512, 2048, 8192];

export function cutToFit(value: JsonValue, bytesMax: number, keep: readonly FieldPath[]): CutJson {
  for (const step of steps) {
    const textMax = Math.floor(bytesMax / step);
    const bounds = boundsOf(textMax, Math.floor(textMax / 8), keep);
    const note = `Cut to fit ${bytesMax} bytes: texts to ${textMax} units, lists and objects to ${bounds.itemsMax} items.`;
    const cut = cutWithin(value, bounds, bytesMax, note);
    if (cut !== undefined) return cut;
  }
  const note = `Cut to fit ${bytesMax} bytes: only the kept members are left.`;
  const onlyKept = boundsOf(0, 0, keep);
  const cut = cutWithin(value, onlyKept, Math.max(bytesMax, keepBytesMax), note);
  return cut ?? cutToFit(value, bytesMax, []);
}

/** Undefined: no string can hold it. */
export function textOf(value: JsonValue): string | undefined {
  try {
    return canonicalJson(value);
  } catch {
    return undefined;
  }
}

interface Bounds {
  readonly textMax: number;
  readonly itemsMax: number;
  readonly kept: ReadonlySet<FieldPath>;
  /** Paths of the objects that hold kept members. */
  readonly holders: ReadonlySet<FieldPath>;
}

/** What is left of the limit, by a count that never exceeds the text's length: below 0 it cannot fit. */
interface Room {
  units: number;
}

function boundsOf(textMax: number, itemsMax: number, keep: readonly FieldPath[]): Bounds {
  const holders = new Set<FieldPath>();
  for (const path of keep) {
    for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
      holders.add(path.slice(0, dot));
    }
  }
  return { textMax, itemsMax, kept: new Set(keep), holders };
}

function cutWithin(
  value: JsonValue,
  bounds: Bounds,
  bytesMax: number,
  note: string,
): CutJson | undefined {
  const room: Room = { units: bytesMax };
  const cut = cutValue(value, undefined, bounds, room);
  if (room.units < 0) return undefined;
  const text = textOf(cut);
  if (text === undefined || isLongerThan(text, bytesMax)) return undefined;
  return { value: cut, text, note };
}

/** No path: the root, or inside an array. */
function cutValue(
  value: JsonValue,
  path: FieldPath | undefined,
  bounds: Bounds,
  room: Room,
): JsonValue {
  room.units -= 1;
  if (typeof value === 'string') return cutText(value, bounds.textMax, room);
  if (typeof value !== 'object' || value === null) return value;
  return isJsonObject(value)
    ? cutMembers(value, path, bounds, room)
    : cutElements(value, bounds, room);
}

function cutElements(elements: readonly JsonValue[], bounds: Bounds, room: Room): JsonValue {
  // Arrays are leaves of field paths: nothing inside them is kept.
  const inside = { ...bounds, kept: noPaths, holders: noPaths };
  const cut: JsonValue[] = [];
  for (const element of elements.slice(0, bounds.itemsMax)) {
    if (room.units < 0) break;
    cut.push(cutValue(element, undefined, inside, room));
  }
  return Object.freeze(cut);
}

const noPaths: ReadonlySet<FieldPath> = new Set();

function cutMembers(
  members: JsonObject,
  path: FieldPath | undefined,
  bounds: Bounds,
  room: Room,
): JsonObject {
  const cut: Record<string, JsonValue> = {};
  let itemsLeft = bounds.itemsMax;
  for (const name of Object.keys(members).sort()) {
    if (room.units < 0) break;
    const member = members[name] as JsonValue;
    const memberPath = path === undefined ? name : `${path}.${name}`;
    if (bounds.kept.has(memberPath)) {
      cut[name] = member;
    } else if (bounds.holders.has(memberPath) && isJsonObject(member)) {
      cut[name] = cutMembers(member, memberPath, bounds, room);
    } else if (itemsLeft > 0 && name.length <= bounds.textMax) {
      itemsLeft -= 1;
      room.units -= name.length + 3;
      cut[name] = cutValue(member, memberPath, bounds, room);
    }
  }
  return Object.freeze(cut);
}

function cutText(text: string, unitsMax: number, room: Room): string {
  let cut = text;
  if (text.length > unitsMax) {
    const start = text.slice(0, Math.max(0, unitsMax - 1));
    cut = unitsMax === 0 ? '' : `${start.isWellFormed() ? start : start.slice(0, -1)}…`;
  }
  room.units -= cut.length + 1;
  return cut;
}
