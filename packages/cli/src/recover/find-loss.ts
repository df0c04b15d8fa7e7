// What is known of a lost time: from the store itself, from the views files that lie beside it, and
// from the lookups of tools. Reads only.
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Gap, readEvents, surveyGap } from '@action-ledger/application';
import { viewsPathOf } from '@action-ledger/client';
import {
  type Action,
  downstreamKeyOf,
  isOpen,
  parseActionId,
  streamOfAction,
} from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';
import { type SeenAction, seenAfter } from '@action-ledger/read-models';
import { formatDownstreamKey, runLookup, type Tool, type ToolSet } from '@action-ledger/tools';
import { type Cli } from '../cli.ts';
import { loadTools } from '@action-ledger/process';
import { foldLedger } from '../ledger-file/fold-ledger.ts';
import { sha256 } from '../sha256.ts';

export interface Loss {
  readonly gap: Gap;
  /** Events that are known to be missing. */
  readonly eventsMissing: number;
  /** Actions that the store lacks, by name: views or suppressed repeats have seen them. */
  readonly actions: readonly LostAction[];
  /** Open when the record ended: they may have gone on. */
  readonly open: readonly OpenAction[];
  /** So long after the recovery new actions start in doubt, by the registered tools. ms. */
  readonly doubtMs: number;
}

export type LostAction = Partial<SeenAction> & Pick<SeenAction, 'action' | 'tenant' | 'tool'>;

export interface OpenAction {
  readonly action: Action;
  readonly lookup: Asked;
}

/** What the tool's lookup says now, or why it was not asked. */
export type Asked = { readonly says: string } | { readonly notAsked: string };

/** More are counted, not named. */
const actionsMax = 10_000;
const lookupsMax = 1_000;

/** @param views files with what was seen of the ledger; undefined where there are none */
export async function findLoss(
  cli: Cli,
  store: EventStore,
  views: readonly string[] = [],
  toolsModule: string | undefined,
): Promise<Loss> {
  const gap = await surveyGap(store);
  const inside = gap.missing.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  const { actions: seen, reached } = await lostActions(store, views, gap.endedAt);
  const mark = Math.max(gap.mark, seen.length > 0 ? reached : 0);
  const tools = toolsModule === undefined ? undefined : await loadTools(toolsModule, cli.io.env);
  const { actions } = await foldLedger(store);
  const open: OpenAction[] = [];
  for (const action of actions.filter(isOpen)) {
    const asked = open.length < lookupsMax ? undefined : { notAsked: 'too many are open' };
    open.push({ action, lookup: asked ?? (await ask(cli, tools, action)) });
  }
  return {
    gap: { ...gap, mark },
    eventsMissing: inside + Math.max(0, mark - gap.endedAt),
    actions: seen,
    open,
    doubtMs: await longestValidForMs(store),
  };
}

/** Of the ledger's own views file, and of those that restores have laid aside. */
export async function lostActions(
  store: EventStore,
  views: readonly string[],
  endedAt: number,
): Promise<{ readonly actions: readonly LostAction[]; readonly reached: number }> {
  const found = new Map<string, LostAction>();
  let reached = 0;
  for (const file of views) {
    const seen = seenAfter(file, endedAt, actionsMax);
    if (seen === undefined) continue;
    reached = Math.max(reached, seen.reached);
    for (const each of seen.actions) if (!found.has(each.action)) found.set(each.action, each);
    for (const { action, tenant, tool } of seen.sides)
      if (!found.has(action)) found.set(action, { action, tenant, tool });
  }
  const actions: LostAction[] = [];
  for (const each of found.values()) if (await isGone(store, each.action)) actions.push(each);
  return { actions, reached };
}

export function viewsBeside(path: string): readonly string[] {
  const start = `${basename(path)}.before-`;
  const kept = readdirSync(dirname(path))
    .filter((name) => name.startsWith(start) && name.endsWith('.views'))
    .sort()
    .reverse();
  return [viewsPathOf(path), ...kept.map((name) => join(dirname(path), name))];
}

async function isGone(store: EventStore, actionId: string): Promise<boolean> {
  if (parseActionId(actionId) === undefined) return false;
  try {
    return (await store.readStream(streamOfAction(actionId))).length === 0;
  } catch {
    return false;
  }
}

/** Only told: the ledger asks again when it runs, and records what counts. */
async function ask(cli: Cli, tools: ToolSet | undefined, action: Action): Promise<Asked> {
  if (tools === undefined) return { notAsked: '--tools names no tools' };
  const tool = tools.get(action.tool);
  if (tool === undefined) return { notAsked: 'not among the --tools' };
  return tool.rules.canLookUp
    ? { says: await answerOf(cli, tool, action) }
    : { notAsked: 'the tool has no lookup' };
}

async function answerOf(cli: Cli, tool: Tool, action: Action): Promise<string> {
  const { timers } = cli.io.runtime;
  const controller = new AbortController();
  const deadline = timers.after(tool.rules.timeoutMs, () => {
    controller.abort(new Error('the lookup took too long'));
  });
  const key = formatDownstreamKey(tool.downstreamKeyFormat, downstreamKeyOf(sha256, action.id));
  const outcome = await runLookup(tool, {
    actionId: action.id,
    tenant: action.tenant,
    tool: action.tool,
    arguments: action.arguments,
    downstreamKey: action.downstreamKey ?? key,
    attempts: action.attempts,
    evidence: action.evidence,
    signal: controller.signal,
  });
  deadline.cancel();
  switch (outcome.verdict) {
    case 'found':
      return outcome.externalId === undefined ? 'found' : `found, ${outcome.externalId}`;
    case 'absent':
      return 'absent';
    case 'ambiguous':
    case 'error':
      return `${outcome.verdict}: ${outcome.reason}`;
  }
}

const toolsMax = 1_000;

async function longestValidForMs(store: EventStore): Promise<number> {
  let longest = 0;
  for (const name of await toolStreams(store)) {
    const last = (await store.readStream(name)).at(-1);
    if (last === undefined) continue;
    const { rules } = JSON.parse(last.data) as {
      readonly rules?: { readonly validForMs?: number };
    };
    longest = Math.max(longest, rules?.validForMs ?? 0);
  }
  return longest;
}

async function toolStreams(store: EventStore): Promise<readonly string[]> {
  if (store.streamNames !== undefined) return store.streamNames(ofTools, toolsMax);
  const names = new Set<string>();
  for await (const batch of readEvents(store, { after: 0 }))
    for (const { stream } of batch) if (stream.startsWith(ofTools)) names.add(stream);
  return [...names].slice(0, toolsMax);
}

const ofTools = 'tool-';
