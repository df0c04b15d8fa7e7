// Turns a catalogue's description of a tool into the declaration that the ledger asks for: which
// fields are identity, which are free, how far it reaches, and what can be promised. Pure data; the
// first rule that fits decides, so that the same catalogue always gives the same declarations.
import { createHash } from 'node:crypto';
import { type Guarantee, type JsonObject, type Scope, type UndoneBy } from '@action-ledger/domain';
import {
  type Catalogue,
  type CatalogueTool,
  type CatalogueWrite,
  type Judgement,
} from '../traces/catalogue.ts';

/** What `defineTool` is told about a recorded write. Fields in no list are bound. */
export interface DeclaredTool {
  /** The ledger's name: the catalogue's, or `<domain>.<name>` where domains disagree about it. */
  readonly name: string;
  readonly description: string;
  /** JSON schema of the arguments. */
  readonly parameters: JsonObject;
  readonly scope: Extract<Scope, 'call' | 'run'>;
  readonly identity: 'all' | readonly string[];
  readonly free: readonly string[];
  readonly sets: readonly string[];
  readonly guarantee: Guarantee;
  readonly undoneBy: readonly UndoneBy[];
  /** `arguments.x`, `outcome.x`: what `undoneBy` matches by. */
  readonly keep: readonly string[];
}

/** Domain to recorded tool name to declaration. Writes only. */
export type DeclaredTools = ReadonlyMap<string, ReadonlyMap<string, DeclaredTool>>;

/**
 * Declares every write of a catalogue. One tool serves all domains that describe it alike; where two
 * disagree, each gets a tool of its own, because a name has one declaration in the ledger.
 */
export function declareTools(catalogue: Catalogue): DeclaredTools {
  const disputed = disputedNames(catalogue);
  return new Map(
    [...catalogue].map(([domain, tools]) => {
      const nameOf = (tool: string): string => (disputed.has(tool) ? `${domain}.${tool}` : tool);
      const undoers = undoersIn(tools);
      const writes = [...tools.values()].filter(isWrite);
      return [domain, new Map(writes.map((tool) => [tool.name, declare(tool, undoers, nameOf)]))];
    }),
  );
}

/** The declarations without repeats: what is to be registered. */
export function distinctTools(declared: DeclaredTools): readonly DeclaredTool[] {
  const byName = new Map<string, DeclaredTool>();
  for (const tools of declared.values()) {
    for (const tool of tools.values()) if (!byName.has(tool.name)) byName.set(tool.name, tool);
  }
  return [...byName.values()];
}

function isWrite(tool: CatalogueTool): tool is CatalogueWrite {
  return tool.kind === 'write';
}

function declare(
  tool: CatalogueWrite,
  undoers: ReadonlyMap<string, readonly UndoneBy[]>,
  nameOf: (tool: string) => string,
): DeclaredTool {
  const undoneBy = undoers.get(tool.name) ?? [];
  const undoes = [...undoers.values()].flat().filter((pair) => pair.tool === tool.name);
  const keep = [
    ...undoneBy.flatMap((pair) => Object.values(pair.match)),
    ...undoes.flatMap((pair) => Object.keys(pair.match)),
  ];
  return {
    name: nameOf(tool.name),
    description: tool.description,
    parameters: tool.parameters,
    ...identityOf(tool),
    guarantee: tool.judgement.effect === 'absolute' ? 'natural' : guaranteeByName(tool.name),
    undoneBy: undoneBy.map((pair) => ({ ...pair, tool: nameOf(pair.tool) })),
    keep: [...new Set(keep)].sort(),
  };
}

type DeclaredIdentity = Pick<DeclaredTool, 'scope' | 'identity' | 'free' | 'sets'>;

function identityOf({ name, parameters, judgement }: CatalogueWrite): DeclaredIdentity {
  const fields = Object.keys((parameters['properties'] ?? {}) as JsonObject);
  const isAbsolute = judgement.effect === 'absolute';
  if (fields.length === 0 || judgement.effect === 'toggle') {
    return { scope: 'call', identity: isAbsolute ? [] : 'all', free: [], sets: [] };
  }
  const sets = judgement.order_insensitive ?? [];
  const entity = judgement.entity_fields ?? entities[name];
  if (isAbsolute && entity !== undefined) return { scope: 'run', identity: entity, free: [], sets };
  const { identity, free } = partition(fields, judgement);
  if (identity.length === 0 && judgement.effect !== 'control') {
    return { scope: 'run', identity: isAbsolute ? fields : 'all', free: [], sets };
  }
  return { scope: 'run', identity, free, sets };
}

/** Text is part of what an additive call does, is set by an absolute one, and only words the others. */
function partition(
  fields: readonly string[],
  { effect, identity_fields: named = [], free_text_fields: texts = [] }: Judgement,
): { readonly identity: readonly string[]; readonly free: readonly string[] } {
  const isText = (field: string): boolean => texts.includes(field) && !named.includes(field);
  return {
    identity: fields.filter(
      (field) => named.includes(field) || (effect === 'additive' && isText(field)),
    ),
    free: effect === 'guarded' || effect === 'control' ? fields.filter(isText) : [],
  };
}

/** The thing an absolute write sets, where the catalogue's identity fields hold its new value too. */
const entities: Readonly<Record<string, readonly string[]>> = {
  update_password: [],
  update_user_info: [],
  set_network_mode_preference: [],
  set_apn_settings: [],
  update_reservation_baggages: ['reservation_id'],
  update_reservation_flights: ['reservation_id'],
  update_reservation_passengers: ['reservation_id'],
  share_file: ['file_id', 'email'],
};

const thirds = ['idempotent', 'lookup', 'manual'] as const;

/** What providers offer is not recorded: a third of the names each, by the first byte of SHA-256. */
export function guaranteeByName(tool: string): Guarantee {
  const [byte = 0] = createHash('sha256').update(tool, 'utf8').digest();
  return thirds[byte % thirds.length] ?? 'manual';
}

const user = { 'arguments.user': 'arguments.user' };
const line = {
  'arguments.customer_id': 'arguments.customer_id',
  'arguments.line_id': 'arguments.line_id',
};

/** Undone tool to its undoers, for catalogues that do not say it themselves (`undone_by`). */
const undoneByName: Readonly<Record<string, readonly UndoneBy[]>> = {
  invite_user_to_slack: [{ tool: 'remove_user_from_slack', match: user }],
  remove_user_from_slack: [{ tool: 'invite_user_to_slack', match: user }],
  add_user_to_channel: [{ tool: 'remove_user_from_slack', match: user }],
  book_reservation: [
    {
      tool: 'cancel_reservation',
      match: { 'arguments.reservation_id': 'outcome.reservation_id' },
    },
  ],
  enable_roaming: [{ tool: 'disable_roaming', match: line }],
  disable_roaming: [{ tool: 'enable_roaming', match: line }],
  suspend_line: [{ tool: 'resume_line', match: line }],
  resume_line: [{ tool: 'suspend_line', match: line }],
};

function undoersIn(
  tools: ReadonlyMap<string, CatalogueTool>,
): ReadonlyMap<string, readonly UndoneBy[]> {
  const found = new Map<string, readonly UndoneBy[]>();
  for (const { name, judgement } of [...tools.values()].filter(isWrite)) {
    const pairs = judgement.undone_by ?? undoneByName[name] ?? [];
    const present = pairs.filter((pair) => tools.has(pair.tool));
    if (present.length > 0) found.set(name, present);
  }
  return found;
}

/** Names that two domains describe differently; wording of descriptions does not count. */
function disputedNames(catalogue: Catalogue): ReadonlySet<string> {
  const shapes = new Map<string, string>();
  const disputed = new Set<string>();
  const undoneOf = new Map<string, readonly string[]>();
  for (const tools of catalogue.values()) {
    const undoers = undoersIn(tools);
    for (const tool of [...tools.values()].filter(isWrite)) {
      const { description: _, ...declared } = declare(tool, undoers, (name) => name);
      const shape = JSON.stringify(withoutDescriptions(declared));
      if ((shapes.get(tool.name) ?? shape) !== shape) disputed.add(tool.name);
      shapes.set(tool.name, shape);
      for (const pair of declared.undoneBy) {
        undoneOf.set(pair.tool, [...(undoneOf.get(pair.tool) ?? []), tool.name]);
      }
    }
  }
  // A Set visits what is added to it on the way: whoever is undone by a disputed tool is disputed too.
  for (const name of disputed) {
    for (const undone of undoneOf.get(name) ?? []) disputed.add(undone);
  }
  return disputed;
}

function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([member, inner]) => member !== 'description' || typeof inner !== 'string')
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([member, inner]) => [member, withoutDescriptions(inner)]),
  );
}
