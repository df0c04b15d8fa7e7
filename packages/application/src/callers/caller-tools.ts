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
  type Tool,
  ToolDeclarationError,
  type ToolSet,
} from '@action-ledger/tools';
import { createRecordStream, type RecordStreamDeps } from '../record/record-stream.ts';
import { createBuiltTools, type KnownCallerTools } from './built-tools.ts';
import {
  type AllDeclared,
  type Declared,
  declaredKey,
  declaredTools,
  tooMuch,
} from './declared-tools.ts';

export const callerToolRefusalCodes = [
  'tool.declaration',
  'tool.rules-loosened',
  'tool.served-here',
  'tool.too-many',
  'tool.too-often',
] as const;

export type CallerToolRefusalCode =
  (typeof callerToolRefusalCodes)[number] | RegistrationRefusalCode;

export interface CallerTools extends KnownCallerTools {
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

/** UTF-16 units of its canonical JSON. */
const declarationSizeMax = 64 * 1024;

/** @throws StoreFault */
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
  const stream = createRecordStream(deps, declaredTools);
  const built = createBuiltTools(served, told.onFault);
  built.take(
    await stream.load().catch((fault: unknown): AllDeclared => {
      // None is known then: their actions wait for an operator, and nothing is declared until it is mended.
      if (!(fault instanceof StoreFault) || fault.code !== 'store.corrupt') throw fault;
      told.onFault('reading the tools of callers', fault);
      return declaredTools.initial;
    }),
  );
  return {
    ...built,
    refresh: async () => {
      built.take(await stream.load());
    },
    register: async ({ tenant, by, declarations, mayLoosen = false }) => {
      const wanted = wantedOf(declarations, served);
      if ('kind' in wanted) return wanted;
      let loosened: readonly Loosened[] = [];
      const changed = await stream.change(by, (before, nowMs) => {
        const fresh = wanted.filter((each) => !isOnRecord(before, tenant, each));
        const found = loosenedBy(before, tenant, fresh);
        if ('kind' in found) return found;
        if (found[0] !== undefined && !mayLoosen) return rulesLoosened(found[0]);
        loosened = found;
        const named = fresh.map(({ tool, declaration }) => ({ tool: tool.name, declaration }));
        return (
          tooMuch(before, tenant, named, nowMs) ??
          fresh.map((each) => eventOf(tenant, each, loosened))
        );
      });
      if (changed.kind === 'refusal') return changed;
      built.take(changed.state);
      for (const each of loosened) told.onLoosened({ tenant, by, ...each });
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

function isOnRecord(before: AllDeclared, tenant: string, { tool, declaration }: Wanted): boolean {
  const now = before.tools.get(declaredKey(tenant, tool.name));
  return now !== undefined && canonicalJson(now.declaration) === canonicalJson(declaration);
}

type Loosened = Pick<RulesLoosened, 'tool' | 'rules'>;

function loosenedBy(
  before: AllDeclared,
  tenant: string,
  fresh: readonly Wanted[],
): readonly Loosened[] | Refusal<CallerToolRefusalCode> {
  const found: Loosened[] = [];
  for (const { tool } of fresh) {
    const rules = compareWith(before.tools.get(declaredKey(tenant, tool.name)), tool);
    if ('kind' in rules) return rules;
    if (rules.length > 0) found.push({ tool: tool.name, rules });
  }
  return found;
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

function rulesLoosened({ tool, rules }: Loosened): Refusal<CallerToolRefusalCode> {
  const message = `"${tool}" is on record with stricter rules (${rules.join(', ')}). Declare it with those, or let an operator declare it anew.`;
  return refusal('tool.rules-loosened', message, { tool, rules });
}

function eventOf(
  tenant: string,
  { tool: { name: tool }, declaration }: Wanted,
  loosened: readonly Loosened[],
): { readonly type: string; readonly data: JsonObject } {
  const loosens = loosened.find((each) => each.tool === tool)?.rules;
  const data = { tenant, tool, declaration, ...(loosens === undefined ? {} : { loosens }) };
  return { type: 'CallerToolDeclared', data };
}
