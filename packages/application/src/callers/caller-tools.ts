// The tools that callers carry out in processes of their own, each tenant's its own. A declaration is an
// event, so that a ledger knows it again after a restart; what decides identity changes under a new
// identityVersion only, as for tools that the ledger serves.
import {
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  refusal,
  type Refusal,
} from '@action-ledger/domain';
import { eventsPerAppendMax, StoreFault } from '@action-ledger/event-store';
import {
  callerTool,
  compareDeclarations,
  declarationEvent,
  loosenedRules,
  type RegistrationRefusalCode,
  RegistrationRefused,
  type Tool,
  ToolDeclarationError,
  type ToolSet,
} from '@action-ledger/tools';
import {
  createRecordStream,
  type RecordStreamDeps,
  type RecordStreamShape,
} from '../record/record-stream.ts';

export const callerToolRefusalCodes = [
  'tool.declaration',
  'tool.rules-loosened',
  'tool.served-here',
  'tool.too-many',
] as const;

export type CallerToolRefusalCode =
  (typeof callerToolRefusalCodes)[number] | RegistrationRefusalCode;

export interface CallerTools {
  get(tenant: string, name: string): Tool | undefined;
  /** Of one tenant, or of all. */
  list(tenant?: string): readonly Tool[];
  /** Reads what others have declared. @throws StoreFault */
  refresh(): Promise<void>;
  /** All of them or none. @throws StoreFault */
  register(request: RegisterTools): Promise<readonly Tool[] | Refusal<CallerToolRefusalCode>>;
}

export interface RegisterTools {
  readonly tenant: string;
  readonly by: string;
  /** As `callerDeclaration` makes them; at most 64 of them, each of another name. */
  readonly declarations: readonly JsonValue[];
  /** Whoever asks may take away what guards a tool that is declared already. Default: no. */
  readonly mayLoosen?: boolean;
}

/** Fewer people are asked, or more is sent again, than before. */
export interface RulesLoosened {
  readonly tenant: string;
  readonly tool: string;
  readonly by: string;
  /** The members of its declaration. */
  readonly rules: readonly string[];
}

export const noCallerTools: Pick<CallerTools, 'get' | 'list'> = {
  get: () => undefined,
  list: () => [],
};

interface Declared {
  readonly tenant: string;
  readonly tool: string;
  readonly declaration: JsonObject;
}

type AllDeclared = ReadonlyMap<string, Declared>;

/** Of one tenant. */
const toolsMax = 1_000;
/** UTF-16 units of its canonical JSON. */
const declarationSizeMax = 64 * 1024;

export const callerToolStreamName = 'caller-tools';

const shape: RecordStreamShape<AllDeclared> = {
  stream: callerToolStreamName,
  initial: new Map(),
  evolve: (known, { type, data }) => {
    if (type !== 'CallerToolDeclared') return known;
    const { tenant, tool, declaration } = data as unknown as Declared;
    return new Map(known).set(keyOf(tenant, tool), { tenant, tool, declaration });
  },
};

/**
 * @throws RegistrationRefused a served tool would give actions of callers another name
 * @throws StoreFault
 */
export async function openCallerTools(
  deps: RecordStreamDeps & {
    /** Those that the ledger itself carries out: they come first. */
    readonly tools: ToolSet;
  },
  told: {
    readonly onFault: (where: string, fault: unknown) => void;
    readonly onLoosened: (loosened: RulesLoosened) => void;
  },
): Promise<CallerTools> {
  const { tools: served } = deps;
  const { onFault } = told;
  const stream = createRecordStream(deps, shape);
  const built = new Map<string, { readonly from: string; readonly tool: Tool }>();
  const take = (declared: AllDeclared): void => {
    for (const [key, { tool: name, declaration }] of declared) {
      const from = canonicalJson(declaration);
      if (built.get(key)?.from === from) continue;
      try {
        built.set(key, { from, tool: callerTool(declaration) });
      } catch (fault) {
        onFault(`the declaration of ${name} by a caller`, fault);
      }
    }
  };
  const known = await stream.load().catch((fault: unknown): AllDeclared => {
    // None is known then: their actions wait for an operator, and nothing is declared until it is mended.
    if (!(fault instanceof StoreFault) || fault.code !== 'store.corrupt') throw fault;
    onFault('reading the tools of callers', fault);
    return new Map();
  });
  take(known);
  for (const [key, { tool: name }] of known) refuseRenaming(served.get(name), built.get(key)?.tool);
  return {
    get: (tenant, name) => built.get(keyOf(tenant, name))?.tool,
    list: (tenant) =>
      [...built]
        .filter(([key]) => tenant === undefined || key.startsWith(keyOf(tenant, '')))
        .map(([, { tool }]) => tool),
    refresh: async () => {
      take(await stream.load());
    },
    register: async ({ tenant, by, declarations, mayLoosen = false }) => {
      const wanted = wantedOf(declarations, served);
      if ('kind' in wanted) return wanted;
      let loosened: readonly RulesLoosened[] = [];
      const changed = await stream.change(by, (before) => {
        loosened = [];
        for (const { tool } of wanted) {
          const rules = compareWith(before.get(keyOf(tenant, tool.name)), tool);
          if ('kind' in rules) return rules;
          if (rules.length === 0) continue;
          if (!mayLoosen) return rulesLoosened(tool, rules);
          loosened = [...loosened, { tenant, tool: tool.name, by, rules }];
        }
        const fresh = wanted.filter(({ tool, declaration }) => {
          const now = before.get(keyOf(tenant, tool.name));
          return now === undefined || canonicalJson(now.declaration) !== canonicalJson(declaration);
        });
        return (
          tooMany(before, tenant, fresh) ?? fresh.map((each) => eventOf(tenant, each, loosened))
        );
      });
      if (changed.kind === 'refusal') return changed;
      take(changed.state);
      for (const each of loosened) told.onLoosened(each);
      return wanted.map(({ tool }) => tool);
    },
  };
}

interface Wanted {
  readonly kind: 'declared';
  readonly tool: Tool;
  readonly declaration: JsonObject;
}

function wantedOf(
  declarations: readonly JsonValue[],
  served: ToolSet,
): readonly Wanted[] | Refusal<CallerToolRefusalCode> {
  if (declarations.length > eventsPerAppendMax)
    return refusal('tool.too-many', `At most ${eventsPerAppendMax} tools are declared at once.`);
  const wanted = new Map<string, Wanted>();
  for (const declaration of declarations) {
    const each = toolOf(declaration);
    if (each.kind === 'refusal') return each;
    const { name } = each.tool;
    if (served.get(name) !== undefined) {
      const message = `The ledger itself carries out "${name}": propose it without declaring it.`;
      return refusal('tool.served-here', message, { tool: name });
    }
    if (wanted.has(name)) return refusal('tool.declaration', `"${name}" is declared twice.`);
    wanted.set(name, each);
  }
  return [...wanted.values()];
}

function toolOf(declaration: JsonValue): Wanted | Refusal<CallerToolRefusalCode> {
  if (!isJsonObject(declaration) || canonicalJson(declaration).length > declarationSizeMax)
    return refusal(
      'tool.declaration',
      `A declaration is an object of at most ${declarationSizeMax} characters.`,
    );
  try {
    return { kind: 'declared', tool: callerTool(declaration), declaration };
  } catch (error) {
    if (!(error instanceof ToolDeclarationError)) throw error;
    return refusal('tool.declaration', error.message, { tool: error.tool, code: error.code });
  }
}

/** @returns the rules that it loosens */
function compareWith(
  before: Declared | undefined,
  tool: Tool,
): readonly string[] | Refusal<CallerToolRefusalCode> {
  if (before === undefined) return [];
  // What names its actions cannot be compared where the earlier one would be refused by now.
  const earlier = toolOf(before.declaration);
  if (earlier.kind === 'refusal') {
    const message = `"${tool.name}" is on record with what is refused now; take another name. ${earlier.message}`;
    return refusal('tool.declaration', message, { tool: tool.name });
  }
  const registered = declarationEvent(earlier.tool);
  const compared = compareDeclarations(registered, tool);
  return typeof compared === 'string' ? loosenedRules(registered, tool) : compared;
}

function rulesLoosened({ name }: Tool, rules: readonly string[]): Refusal<CallerToolRefusalCode> {
  const message = `"${name}" is on record with stricter rules (${rules.join(', ')}). Declare it with those, or let an operator declare it anew.`;
  return refusal('tool.rules-loosened', message, { tool: name, rules });
}

function tooMany(
  before: AllDeclared,
  tenant: string,
  fresh: readonly Wanted[],
): Refusal<CallerToolRefusalCode> | undefined {
  const own = [...before.values()].filter((each) => each.tenant === tenant);
  const names = new Set(
    [...own, ...fresh.map(({ tool }) => ({ tool: tool.name }))].map(({ tool }) => tool),
  );
  if (names.size <= toolsMax) return undefined;
  return refusal('tool.too-many', `A tenant's callers can declare at most ${toolsMax} tools.`);
}

function eventOf(
  tenant: string,
  { tool: { name: tool }, declaration }: Wanted,
  loosened: readonly RulesLoosened[],
): { readonly type: string; readonly data: JsonObject } {
  const loosens = loosened.find((each) => each.tool === tool)?.rules;
  const data = { tenant, tool, declaration, ...(loosens === undefined ? {} : { loosens }) };
  return { type: 'CallerToolDeclared', data };
}

/** The same rule between a tool of callers and one that the ledger serves from now on. */
function refuseRenaming(served: Tool | undefined, before: Tool | undefined): void {
  if (served === undefined || before === undefined) return;
  const compared = compareDeclarations(declarationEvent(before), served);
  if (typeof compared !== 'string') throw new RegistrationRefused(compared);
}

/** No name of a tool holds a line break. */
function keyOf(tenant: string, tool: string): string {
  return `${JSON.stringify(tenant)}\n${tool}`;
}
