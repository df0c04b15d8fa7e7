// The tools that this program carries out itself: declared to the ledger, sent when it hands them out, and
// looked up when it asks, for as long as the ledger is open here. The ledger decides; what is done is done here.
import { hash } from 'node:crypto';
import type { HandedOut, Work } from '@action-ledger/application';
import { type Answer, type JsonObject, type JsonValue, type Refusal } from '@action-ledger/domain';
import { type Runtime } from '@action-ledger/runtime';
import { createToolSet, isTool, passThrough, type Tool } from '@action-ledger/tools';
import { LedgerError } from '../../ledger-error.ts';
import { type Ask } from '../ask.ts';
import { type OwnCall, type OwnTools, type Prepared, type ShownArguments } from '../own-tools.ts';
import { misfit } from '../proposals.ts';
import { answerIn, thrownFor } from '../read-answer.ts';
import { actionOf } from '../shown.ts';
import { pathOf } from '../until-rested.ts';
import { type Begun, carryOut, type CarryDeps } from './carry-out.ts';
import { declareTools } from './declare.ts';
import { lookUp } from './look-up.ts';
import { createPause } from './pause.ts';
import { createHeldSecrets, type HeldSecrets, withoutSecrets, withSecrets } from './secrets.ts';
import { startWork } from './work-loop.ts';

export interface OwnToolsDeps {
  readonly tools: Readonly<Record<string, Tool>> | readonly Tool[];
  readonly digestKey: string | undefined;
  readonly onFault: (where: string, fault: unknown) => void;
  readonly runtime: Runtime;
  /** @param ended nothing is asked any more */
  readonly askUntil: (ended: AbortSignal) => Ask;
}

/** How long the outcomes of what was aborted at the end may still be told. */
const lastWordMs = 10_000;

interface Side extends Omit<CarryDeps, 'tenant'> {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly digestKey: string | undefined;
  readonly secrets: HeldSecrets;
  readonly running: Map<AbortController, Promise<unknown>>;
  /** Aborted when what runs may run no longer. */
  readonly stopping: AbortController;
  tenant: string;
}

/**
 * @throws LedgerError `ledger.options` one is no tool, or has secrets and there is no `digestKey`
 * @throws ToolDeclarationError two tools of one name, or one says something that only code can say
 * @throws RegistrationRefused the ledger does not take one as it is declared
 * @throws RemoteFault, StoreFault it could not be told
 */
export async function openOwnTools(deps: OwnToolsDeps): Promise<OwnTools> {
  const { runtime, onFault, askUntil, digestKey } = deps;
  const all = checkedTools(deps);
  const writes = all.filter(({ kind }) => kind === 'write');
  const closed = new AbortController();
  const ended = new AbortController();
  const running: Side['running'] = new Map();
  let wake = (): void => undefined;
  const side: Side = {
    ask: askUntil(closed.signal),
    pause: createPause(runtime, closed.signal),
    onFault,
    closed: closed.signal,
    runtime,
    sha256: (text) => hash('sha256', text, 'base64url'),
    tenant: '',
    digestKey,
    tools: new Map(all.map((tool) => [tool.name, tool])),
    secrets: createHeldSecrets(() => {
      wake();
    }, tellLost(onFault)),
    running,
    stopping: new AbortController(),
    late: (told) => void track(running, () => told),
  };
  const declare = async (): Promise<void> => {
    side.tenant = await declareTools(side.ask, writes);
  };
  let working: Promise<void> | undefined;
  if (writes.length > 0) {
    await declare();
    const loop = startWork({
      ask: askUntil(ended.signal),
      pause: createPause(runtime, ended.signal),
      runtime,
      tools: writes.map(({ name }) => name),
      holding: () => side.secrets.ids(),
      carry: (work) => carryWork(side, work),
      onFault,
      ended: ended.signal,
    });
    wake = () => {
      loop.wake();
    };
    working = loop.done;
  }
  return {
    declare,
    prepare: (call) => ofOwn(side, call, prepared),
    prepareStep: (call) => ofOwn(side, call, preparedStep),
    shown: (name, args) => shownBy(side, side.tools.get(name), args),
    shownOf: (actionId, args) => shownOf(side, actionId, args),
    close: async (drainMs, asked) => {
      ended.abort();
      await drain(side, drainMs, Promise.all([working, asked]), closed);
    },
  };
}

function tellLost(onFault: OwnToolsDeps['onFault']): (actionId: string) => void {
  const why = 'So many actions wait for their secret arguments that these were let go of.';
  return (actionId) => {
    onFault(`secret arguments of ${actionId}`, new Error(why));
  };
}

function checkedTools({ tools: given, digestKey }: OwnToolsDeps): readonly Tool[] {
  for (const [name, tool] of Object.entries(given)) {
    if (isTool(tool)) continue;
    const place = Array.isArray(given) ? `tools[${name}]` : `tools.${name}`;
    throw wrong(`\`${place}\` is no tool; give what defineTool or httpTool has made.`);
  }
  const { all } = createToolSet(Object.values(given));
  const secret = all.find(({ declaration }) => declaration.secret.length > 0);
  if (secret !== undefined && digestKey === undefined)
    throw wrong(`\`digestKey\` must be given: ${secret.name} takes secret arguments.`);
  return all;
}

function wrong(message: string): LedgerError {
  return new LedgerError('ledger.options', message);
}

function ofOwn<Result>(
  side: Side,
  call: OwnCall,
  prepare: (side: Side, tool: Tool, call: OwnCall) => Promise<Answer | Result>,
): Promise<Answer | Result> | undefined {
  const tool = side.tools.get(call.tool);
  return tool === undefined ? undefined : prepare(side, tool, call);
}

async function prepared(side: Side, tool: Tool, call: OwnCall): Promise<Answer | Prepared> {
  const shown = await preparedStep(side, tool, call);
  if ('word' in shown) return shown;
  const worker = side.runtime.ids.next();
  return {
    ...shown,
    kind: 'prepared',
    worker,
    begin: (told) => {
      if (told.kind !== 'answer') return undefined;
      const { dispatch } = told.body as { readonly dispatch?: HandedOut };
      const answer = answerIn(told.body);
      const { actionId } = answer;
      if (actionId === undefined || dispatch === undefined) return undefined;
      shown.hold?.(answer);
      return carry(side, { tool, actionId, worker, dispatch, ...begunBy(side, told) });
    },
  };
}

async function preparedStep(
  side: Side,
  tool: Tool,
  call: OwnCall,
): Promise<Answer | ShownArguments> {
  const shown = shownBy(side, tool, call.arguments);
  if (shown.kind === 'refusal') return misfit(tool.name, shown, side.tenant);
  if (tool.kind !== 'read') return shown;
  const { sha256, tenant } = side;
  const { timers } = side.runtime;
  return passThrough({ timers, sha256 }, { ...call, tool, args: shown.whole, tenant });
}

function shownBy(
  side: Side,
  tool: Tool | undefined,
  args: JsonValue,
): (ShownArguments & { readonly whole: JsonObject }) | Refusal {
  if (tool === undefined) return { kind: 'shown', arguments: args, whole: {} };
  const valid = tool.validate(args);
  if (valid.kind === 'refusal') return valid;
  const { args: whole } = valid;
  const { digestKey, sha256, secrets } = side;
  if (tool.declaration.secret.length === 0 || digestKey === undefined)
    return { kind: 'shown', arguments: args, whole };
  return {
    kind: 'shown',
    arguments: withoutSecrets(sha256, digestKey, tool, whole),
    whole,
    hold: (answer) => {
      const { actionId } = answer;
      if (actionId === undefined) return;
      if (isOver(answer)) secrets.forget(actionId);
      else secrets.hold(actionId, whole);
    },
  };
}

async function shownOf(
  side: Side,
  actionId: string,
  args: JsonValue,
): Promise<ShownArguments | Answer> {
  const asTheyAre: ShownArguments = { kind: 'shown', arguments: args };
  const tools = [...side.tools.values()];
  if (tools.every(({ declaration }) => declaration.secret.length === 0)) return asTheyAre;
  const told = await side.ask({ method: 'GET', path: pathOf(actionId) });
  // Refused there in its own words: of an action that there is not, nothing can come.
  if (told.kind === 'problem' && told.status === 404) return { kind: 'shown', arguments: {} };
  if (told.kind !== 'answer') throw thrownFor(told);
  const tool = side.tools.get(actionOf(told.body).tool);
  if (tool === undefined || tool.declaration.secret.length === 0) return asTheyAre;
  const shown = shownBy(side, tool, args);
  return shown.kind === 'refusal' ? misfit(tool.name, shown, side.tenant) : shown;
}

interface Handed extends Begun {
  readonly tool: Tool;
  readonly actionId: string;
  readonly worker: string;
  readonly dispatch: HandedOut;
}

function carry(side: Side, handed: Handed): Promise<Answer | undefined> {
  const { tool, actionId, dispatch } = handed;
  return tracked(side, async (controller) => {
    const args = wholeOf(side, tool, actionId, dispatch.arguments);
    const answer = await carryOut(side, { ...handed, args }, controller);
    if (answer !== undefined && isOver(answer)) side.secrets.forget(actionId);
    return answer;
  });
}

/** What is on record, with its secrets: another call may have joined it with another wording of the rest. */
function wholeOf(
  { secrets }: Side,
  { declaration }: Tool,
  actionId: string,
  recorded: JsonObject,
): JsonObject | undefined {
  if (declaration.secret.length === 0) return recorded;
  const held = secrets.get(actionId);
  return held && withSecrets(declaration.secret, recorded, held);
}

/** Nothing of it is sent or looked up any more. */
function isOver({ word }: Answer): boolean {
  return word !== 'in-progress' && word !== 'checking' && word !== 'waiting-for-approval';
}

function tracked<Result>(
  { running, stopping }: Side,
  work: (controller: AbortController) => Promise<Result>,
): Promise<Result> {
  return track(running, (controller) => {
    if (stopping.signal.aborted) controller.abort(stopping.signal.reason);
    return work(controller);
  });
}

function track<Result>(
  running: Side['running'],
  work: (controller: AbortController) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const done = work(controller).finally(() => running.delete(controller));
  running.set(controller, done);
  return done;
}

async function carryWork(side: Side, work: Work): Promise<boolean> {
  const { actionId } = work;
  const tool = side.tools.get(work.tool);
  if (tool === undefined) return false;
  try {
    if (work.kind === 'send') await takeOn(side, tool, actionId);
    else await lookFor(side, tool, work);
    return true;
  } catch (fault) {
    side.onFault(`work on ${actionId}`, fault);
    return false;
  }
}

async function takeOn(side: Side, tool: Tool, actionId: string): Promise<void> {
  const worker = side.runtime.ids.next();
  const told = await side.ask({
    method: 'POST',
    path: pathOf(actionId, '/claim'),
    body: { worker, holding: side.secrets.get(actionId) !== undefined },
  });
  if (told.kind !== 'answer') throw thrownFor(told);
  const { dispatch } = told.body as { readonly dispatch?: HandedOut };
  if (dispatch === undefined) return;
  await carry(side, { tool, actionId, worker, dispatch, ...begunBy(side, told) });
}

function begunBy({ runtime }: Side, { triedMono }: { readonly triedMono: number }): Begun {
  const { clock } = runtime;
  return { startedMono: triedMono, startedAt: clock.wallMs() - (clock.monoMs() - triedMono) };
}

async function lookFor(
  side: Side,
  tool: Tool,
  { actionId, ...lookup }: Extract<Work, { kind: 'lookup' }>,
): Promise<void> {
  const args = wholeOf(side, tool, actionId, lookup.arguments);
  if (args === undefined) return;
  const answer = await tracked(side, (controller) =>
    lookUp(side, { tool, actionId, lookup, args }, controller),
  );
  if (answer !== undefined && isOver(answer)) side.secrets.forget(actionId);
}

async function drain(
  side: Side,
  drainMs: number,
  /** May still bring something to run. */
  working: Promise<unknown>,
  closed: AbortController,
): Promise<void> {
  const { timers } = side.runtime;
  let timer = timers.after(
    drainMs,
    () => {
      side.stopping.abort(new Error('the ledger is closing'));
      for (const controller of side.running.keys()) controller.abort(side.stopping.signal.reason);
      timer = timers.after(
        lastWordMs,
        () => {
          closed.abort();
        },
        { keepsAlive: true },
      );
    },
    { keepsAlive: true },
  );
  await working;
  while (side.running.size > 0) await Promise.allSettled(side.running.values());
  timer.cancel();
  closed.abort();
}
