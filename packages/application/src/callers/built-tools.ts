// The declarations of callers, each built once into the tool that checks and names its actions. Where the
// ledger itself serves a tool of that name by now, the tenant's actions must keep their names; else no
// action of that name is carried out for this tenant, and every other tenant goes on.
import { type JsonObject } from '@action-ledger/domain';
import {
  callerTool,
  compareDeclarations,
  declarationEvent,
  type Tool,
  type ToolSet,
} from '@action-ledger/tools';
import { type AllDeclared, type Declared, declaredKey } from './declared-tools.ts';

export interface KnownCallerTools {
  get(tenant: string, name: string): Tool | undefined;
  /** Of one tenant, or of all. */
  list(tenant?: string): readonly Tool[];
  /** Why no action of this name is carried out for the tenant, as a sentence; undefined: it may be. */
  whyHeld(tenant: string, name: string): string | undefined;
}

export const noCallerTools: KnownCallerTools = {
  get: () => undefined,
  list: () => [],
  whyHeld: () => undefined,
};

export interface BuiltTools extends KnownCallerTools {
  /** Builds what is new or was declared otherwise. */
  take(declared: AllDeclared): void;
}

interface Built {
  readonly declaration: JsonObject;
  /** Undefined where it is refused by now. */
  readonly tool: Tool | undefined;
  readonly held: string | undefined;
}

export function createBuiltTools(
  served: ToolSet,
  onFault: (where: string, fault: unknown) => void,
): BuiltTools {
  const built = new Map<string, Built>();
  const build = ({ tenant, tool: name, declaration }: Declared): Built => {
    try {
      const tool = callerTool(declaration);
      const held = whyRenamed(served.get(name), tool);
      if (held !== undefined) onFault(`serving ${name} to the tenant ${tenant}`, new Error(held));
      return { declaration, tool, held };
    } catch (fault) {
      onFault(`the declaration of ${name} by a caller`, fault);
      const held = `The callers of this tenant carried out "${name}", and how its actions were named is not known any more. Serve the tool under another name.`;
      return { declaration, tool: undefined, held: served.get(name) && held };
    }
  };
  // Asked several times for each action, and most ledgers have none.
  const find = (tenant: string, name: string): Built | undefined =>
    built.size === 0 ? undefined : built.get(declaredKey(tenant, name));
  return {
    take: ({ tools }) => {
      for (const [key, declared] of tools)
        if (built.get(key)?.declaration !== declared.declaration) built.set(key, build(declared));
    },
    get: (tenant, name) => find(tenant, name)?.tool,
    list: (tenant) =>
      [...built]
        .filter(([key]) => tenant === undefined || key.startsWith(declaredKey(tenant, '')))
        .flatMap(([, { tool }]) => tool ?? []),
    whyHeld: (tenant, name) => find(tenant, name)?.held,
  };
}

/** The same rule between a tool of callers and one that the ledger serves from now on. */
function whyRenamed(served: Tool | undefined, before: Tool): string | undefined {
  if (served === undefined) return undefined;
  const compared = compareDeclarations(declarationEvent(before), served);
  return typeof compared === 'string'
    ? undefined
    : `The callers of this tenant have carried it out under other names. ${compared.message}`;
}
