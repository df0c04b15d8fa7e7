// Functions that the program around the ledger hands over. Whatever they throw, reject with or return
// amiss is told to `onFault` and goes no further: it rejects no call and ends no process. A gate that
// breaks stays closed: what cannot be asked is paused, denied, put before people.
import { type JsonObject } from '@action-ledger/domain';
import { isThenable, needsApproval, silence, type Tool, type ToolSet } from '@action-ledger/tools';
import { type LedgerWatch } from './ledger-watch.ts';
import { type Parts, type WritePoint } from './parts.ts';
import { decideBy } from '../propose/policy.ts';

export type OnFault = (where: string, fault: unknown) => void;

/** What breaks in it is told to nobody: there is nobody left. */
export function safeOnFault(onFault: OnFault | undefined): OnFault {
  if (onFault === undefined) return () => undefined;
  const tell: (where: string, fault: unknown) => unknown = onFault;
  return (where, fault) => {
    try {
      silence(tell(where, fault));
    } catch {
      // Nobody is left to be told.
    }
  };
}

/** A hook that is told of something, and changes nothing by what comes of it. */
export function safeHook<Args extends readonly unknown[]>(
  name: string,
  hook: (...args: Args) => unknown,
  onFault: OnFault,
): (...args: Args) => void {
  const waited = safeStep(name, hook, onFault);
  return (...args) => {
    void waited(...args);
  };
}

/** Those that are missing are told nothing. */
export function safeWatch(watch: LedgerWatch | undefined, onFault: OnFault): Required<LedgerWatch> {
  const { onAnswer, onMoved } = watch ?? {};
  return {
    onAnswer: onAnswer === undefined ? silent : safeHook('onAnswer', onAnswer, onFault),
    onMoved: onMoved === undefined ? silent : safeHook('onMoved', onMoved, onFault),
  };
}

const silent = (): void => undefined;

type Point = (point: WritePoint, actionId: string) => void | Promise<void>;

/** Waited for where it is a promise. */
export function safePoint(onPoint: Point | undefined, onFault: OnFault): Point {
  return onPoint === undefined ? () => undefined : safeStep('onPoint', onPoint, onFault);
}

function safeStep<Args extends readonly unknown[]>(
  name: string,
  step: (...args: Args) => unknown,
  onFault: OnFault,
): (...args: Args) => Promise<void> | undefined {
  return (...args) => {
    try {
      const returned = step(...args);
      if (!isThenable(returned)) return undefined;
      return Promise.resolve(returned).then(
        () => undefined,
        (fault: unknown) => {
          onFault(name, fault);
        },
      );
    } catch (fault) {
      onFault(name, fault);
      return undefined;
    }
  };
}

const paused = 'This tool is paused.';
const pauseFailed = 'The pause function failed, so this tool is taken for paused.';

/** It is asked in loops: `onFault` hears of each kind of fault once. */
export function pauseGate(
  isPaused: ((tenant: string, tool: string) => unknown) | undefined,
  onFault: OnFault,
): Parts['whyPaused'] {
  if (isPaused === undefined) return () => undefined;
  const told = new Set<string>();
  const tellOnce = (kind: string, fault: unknown): string => {
    if (!told.has(kind)) onFault('isPaused', fault);
    told.add(kind);
    return pauseFailed;
  };
  return (tenant, tool) => {
    try {
      const said = isPaused(tenant, tool);
      if (said === false) return undefined;
      if (said === true) return paused;
      silence(said);
      const what = isThenable(said) ? 'a promise' : typeof said;
      return tellOnce(what, new TypeError(`isPaused must return true or false, not ${what}`));
    } catch (fault) {
      return tellOnce('thrown', fault);
    }
  };
}

/** The same tools; what breaks in their policies and conditions for approval is told. */
export function toldTools(tools: ToolSet, onFault: OnFault): ToolSet {
  const all = tools.all.map((tool) => toldTool(tool, onFault));
  const byName = new Map(all.map((tool) => [tool.name, tool]));
  return { ...tools, all, get: (name) => byName.get(name) };
}

function toldTool(tool: Tool, onFault: OnFault): Tool {
  const { name, policy, approval } = tool;
  const tell =
    (member: string) =>
    (fault: unknown): void => {
      onFault(`${member} of ${name}`, fault);
    };
  let told = tool;
  if (policy !== undefined) {
    const tellOf = tell('policy');
    const decide: typeof policy.decide = (args, of) => decideBy(policy, args, of, tellOf);
    told = { ...told, policy: { version: policy.version, decide } };
  }
  if (approval?.when !== undefined) {
    const tellOf = tell('approval');
    const when = (args: JsonObject): boolean => needsApproval(tool, args, tellOf);
    told = { ...told, approval: { rules: approval.rules, when } };
  }
  return Object.freeze(told);
}
