// An action whose stream was renamed by hand cannot be found: a call for it would look new and act a
// second time. The first event of a stream tells: it is chained to the stream's name. Where it is
// known whose it is, that action is held; where it is not, nothing new is recorded until a person says.
import {
  actionIdOf,
  actionOfStream,
  type ActionPlanned,
  callerKey,
  compensationKeyOf,
  type EventData,
  findChainBreak,
  keyHashOf,
  parseActionId,
  stepKeyOf,
  streamOfAction,
} from '@action-ledger/domain';
import { type Loss, type RecordedEvent, StoreFault } from '@action-ledger/event-store';
import { besideKeyOf, isBeside } from '../observe/beside.ts';
import { namesOf } from './names.ts';
import { declaredTool, type Parts } from '../core/parts.ts';
import { downstreamKeyFor } from '../attempt/send.ts';

type NameParts = Pick<
  Parts,
  'store' | 'sha256' | 'tools' | 'callerTools' | 'digestSecret' | 'quarantine' | 'actions'
>;

/** @param recorded any event; only the first ones of actions are looked at */
export async function checkFirstEvent(
  parts: NameParts,
  recorded: RecordedEvent,
  onLost: (loss: Loss) => Promise<void>,
): Promise<void> {
  const { stream, revision, position } = recorded;
  const actionId = actionOfStream(stream);
  if (actionId === undefined) return;
  if (recorded.type === 'ActionArchived') await checkMarker(parts, recorded, actionId);
  if (revision !== 0) return;
  if (findChainBreak(parts.sha256, stream, [recorded]) === undefined) return;
  const planned = plannedOf(recorded);
  if (planned === undefined) return;
  const keys = keysOf(parts, planned);
  if (keys.includes(keyHashOf(actionId))) return;
  const owner = keys
    .map((keyHash) => actionIdOf(keyHash, planned.epoch))
    .find((id) => findChainBreak(parts.sha256, streamOfAction(id), [recorded]) === undefined);
  if (owner !== undefined)
    await parts.quarantine.open(owner, `its events lie in ${stream}: the stream was renamed`);
  else if (!(await isVouchedFor(parts, actionId, planned)))
    await onLost({
      first: position,
      last: position,
      reason: `Stream ${stream} does not begin as it was recorded (position ${position}): if it was renamed, the action in it cannot be found under its own name.`,
    });
}

/** It may be all that is left of its stream, and says itself whose it is. */
async function checkMarker(
  { quarantine }: NameParts,
  { stream, data }: RecordedEvent,
  actionId: string,
): Promise<void> {
  const owner = ownerIn(data);
  if (owner === undefined || owner === actionId) return;
  await quarantine.open(owner, `its events lie in ${stream}: the stream was renamed`);
}

function ownerIn(data: string): string | undefined {
  try {
    const { action } = JSON.parse(data) as Partial<EventData['ActionArchived']>;
    return typeof action === 'string' && parseActionId(action) !== undefined ? action : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined where it is not what a stream of an action begins with, or cannot be read: that is no rename. */
function plannedOf({ type, data }: RecordedEvent): ActionPlanned | undefined {
  if (type !== 'ActionPlanned') return undefined;
  try {
    const planned = JSON.parse(data) as Partial<ActionPlanned> | null;
    const isWhole =
      typeof planned?.tool === 'string' &&
      typeof planned.tenant === 'string' &&
      typeof planned.arguments === 'object' &&
      parseActionId(actionIdOf('x'.repeat(43), planned.epoch ?? -1)) !== undefined;
    return isWhole ? (planned as ActionPlanned) : undefined;
  } catch {
    return undefined;
  }
}

/** The keys that its own words give it, by every identity version of its tool. */
function keysOf(parts: NameParts, planned: ActionPlanned): readonly string[] {
  const { tenant, key, call = {}, arguments: args, workflow, compensates, observed } = planned;
  if (compensates !== undefined) return [compensationKeyOf(parts.sha256, tenant, compensates)];
  if (isBeside(observed))
    return [besideKeyOf(parts.sha256, tenant, observed.action, observed.request)];
  if (key !== undefined) {
    const keyed = callerKey(parts.sha256, tenant, key);
    return keyed.kind === 'keyed' ? [keyed.keyHash] : [];
  }
  const tool = declaredTool(parts, planned.tenant, planned.tool);
  const ofStep =
    workflow === undefined ? [] : [stepKeyOf(parts.sha256, tenant, workflow.id, workflow.step)];
  if (tool === undefined) return ofStep;
  const names = namesOf(parts, tool, { tenant, origin: call }, args);
  if (names.kind === 'refusal') return ofStep;
  return [...ofStep, names.keyHash, ...names.older.map((old) => old.keyHash)];
}

/** The downstream key of a dispatch is made from the action's id: then something else was edited. */
async function isVouchedFor(
  parts: NameParts,
  actionId: string,
  planned: ActionPlanned,
): Promise<boolean> {
  const tool = declaredTool(parts, planned.tenant, planned.tool);
  if (tool === undefined) return false;
  const expected = `"downstreamKey":${JSON.stringify(downstreamKeyFor(parts, tool, actionId))}`;
  try {
    const events = await parts.store.readStream(streamOfAction(actionId));
    return events.some(({ type, data }) => type === 'ActionDispatched' && data.includes(expected));
  } catch (fault) {
    if (fault instanceof StoreFault && fault.code === 'store.corrupt') return false;
    throw fault;
  }
}
