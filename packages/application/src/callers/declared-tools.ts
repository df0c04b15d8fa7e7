// What callers have declared, folded from the stream `caller-tools`, and how much of it is taken: of one
// tenant and of all, at once and in a day, so that nobody fills the ledger by declaring.
import { type JsonObject, refusal, type Refusal } from '@action-ledger/domain';
import { type DatedRecord, type RecordStreamShape } from '../record/record-stream.ts';

export interface Declared {
  readonly tenant: string;
  readonly tool: string;
  readonly declaration: JsonObject;
  /** UTF-16 units of the declaration as JSON. */
  readonly size: number;
  readonly changes: Spent;
}

interface OfTenant {
  readonly tools: number;
  readonly size: number;
  /** What its changes were long. */
  readonly changed: Spent;
}

export interface AllDeclared {
  readonly tools: ReadonlyMap<string, Declared>;
  readonly tenants: ReadonlyMap<string, OfTenant>;
  readonly size: number;
}

/** How much in which hour since the epoch, of the last day. */
type Spent = readonly (readonly [hour: number, amount: number])[];

export interface DeclarationLimits {
  /** Of one tenant. */
  readonly toolsMax: number;
  /** UTF-16 units of all declarations of one tenant, and of all tenants. */
  readonly sizeMax: number;
  readonly sizeOfAllMax: number;
  /** Of one tool within a day. */
  readonly changesMax: number;
  /** UTF-16 units of what one tenant declares within a day. */
  readonly changedMax: number;
}

export const declarationLimits: DeclarationLimits = {
  toolsMax: 1_000,
  sizeMax: 4 * 1024 * 1024,
  sizeOfAllMax: 32 * 1024 * 1024,
  changesMax: 100,
  changedMax: 32 * 1024 * 1024,
};

export const callerToolStreamName = 'caller-tools';

/** Changed in place while a read is folded: a copy for each event would make the start quadratic. */
interface Folding {
  readonly tools: Map<string, Declared>;
  readonly tenants: Map<string, OfTenant>;
  size: number;
}

export const declaredTools: RecordStreamShape<AllDeclared> = {
  stream: callerToolStreamName,
  initial: { tools: new Map(), tenants: new Map(), size: 0 },
  copy: ({ tools, tenants, size }) => ({
    tools: new Map(tools),
    tenants: new Map(tenants),
    size,
  }),
  evolve: (state, record) => {
    if (record.type === 'CallerToolDeclared') note(state as Folding, record);
    return state;
  },
};

const nobody: OfTenant = { tools: 0, size: 0, changed: [] };

function note(state: Folding, { data, at }: DatedRecord): void {
  const { tenant, tool, declaration } = data as unknown as Declared;
  const key = declaredKey(tenant, tool);
  const before = state.tools.get(key);
  const own = state.tenants.get(tenant) ?? nobody;
  const size = sizeOf(declaration);
  const more = size - (before?.size ?? 0);
  const changes = spend(before?.changes ?? [], at, 1);
  state.tools.set(key, { tenant, tool, declaration, size, changes });
  state.tenants.set(tenant, {
    tools: own.tools + (before === undefined ? 1 : 0),
    size: own.size + more,
    changed: spend(own.changed, at, size),
  });
  state.size += more;
}

/** No name of a tool holds a line break. */
export function declaredKey(tenant: string, tool: string): string {
  return `${JSON.stringify(tenant)}\n${tool}`;
}

export function sizeOf(declaration: JsonObject): number {
  return JSON.stringify(declaration).length;
}

export type TooMuchCode = 'tool.too-many' | 'tool.too-often';

/** @param fresh what is to be recorded of the tenant, each of another name */
export function tooMuch(
  state: AllDeclared,
  tenant: string,
  fresh: readonly { readonly tool: string; readonly declaration: JsonObject }[],
  nowMs: number,
  limits: DeclarationLimits = declarationLimits,
): Refusal<TooMuchCode> | undefined {
  if (fresh.length === 0) return undefined;
  const own = state.tenants.get(tenant) ?? nobody;
  const earlier = fresh.map(({ tool }) => state.tools.get(declaredKey(tenant, tool)));
  const size = fresh.reduce((sum, { declaration }) => sum + sizeOf(declaration), 0);
  const more = size - earlier.reduce((sum, each) => sum + (each?.size ?? 0), 0);
  if (own.tools + earlier.filter((each) => each === undefined).length > limits.toolsMax)
    return tooMany(`at most ${limits.toolsMax} tools`);
  if (own.size + more > limits.sizeMax)
    return tooMany(`declarations of at most ${limits.sizeMax} characters together`);
  if (more > 0 && state.size + more > limits.sizeOfAllMax)
    return refusal('tool.too-many', 'The ledger takes no more declarations of callers.');
  const often = earlier.find((each) => spentOf(each?.changes ?? [], nowMs) >= limits.changesMax);
  if (often !== undefined)
    return tooOften(`"${often.tool}" was declared otherwise ${limits.changesMax} times in a day`);
  return spentOf(own.changed, nowMs) + size > limits.changedMax
    ? tooOften(`Tools were declared with more than ${limits.changedMax} characters in a day`)
    : undefined;
}

function tooMany(what: string): Refusal<TooMuchCode> {
  return refusal('tool.too-many', `A tenant's callers can declare ${what}.`);
}

function tooOften(what: string): Refusal<TooMuchCode> {
  const message = `${what}: are two programs at work that say it differently? Said as it is on record, it is always taken.`;
  return refusal('tool.too-often', message);
}

const hourMs = 3_600_000;
const hoursKept = 24;

function spend(spent: Spent, at: number, amount: number): Spent {
  const hour = Math.floor(at / hourMs);
  const kept = spent.filter(([each]) => each > hour - hoursKept && each !== hour);
  const now = spent.find(([each]) => each === hour)?.[1] ?? 0;
  return [...kept, [hour, now + amount]];
}

function spentOf(spent: Spent, nowMs: number): number {
  const hour = Math.floor(nowMs / hourMs);
  return spent
    .filter(([each]) => each > hour - hoursKept)
    .reduce((sum, [, amount]) => sum + amount, 0);
}
