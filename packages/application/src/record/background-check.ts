// What opening did not look at: every older stream is read and folded once in the background, in small
// bites; what the store keeps to find it by is compared with it; and positions that are missing, or
// actions that lost their name, put the ledger into `recovering`.
import { actionOfStream, workflowOfStream } from '@action-ledger/domain';
import { type IndexFault, type Loss, type RecordedEvent } from '@action-ledger/event-store';
import { pause } from './append.ts';
import { explainGaps, type Gap } from './given-up.ts';
import { checkFirstEvent } from '../propose/hidden-action.ts';
import { type Parts } from '../core/parts.ts';
import { type DamagedEvents, readEvents } from './read-events.ts';
import { type CompensatorDeps } from '../workflow/compensator-deps.ts';
import { type Workflows } from '../workflow/workflows.ts';

/** Small bites with pauses between them, and a twentieth of the time at most: it must not be felt. */
const eventsPerBite = 100;
const biteMsMax = 2;
const pauseMs = 25;
const restPerWork = 19;

type OnLost = (loss: Loss) => Promise<void>;

/** @param through the last position that the opening has not looked at itself */
export async function checkInBackground(
  { parts, workflows }: CompensatorDeps,
  through: number,
  onLost: OnLost,
): Promise<void> {
  const rest = createRests(parts);
  const checking = { parts, rest, onLost };
  let next = 1;
  const damaged: DamagedEvents[] = [];
  const bites = readEvents(parts.store, {
    after: 0,
    through,
    batch: eventsPerBite,
    onDamaged: (found) => damaged.push(found),
  });
  for await (const bite of bites) {
    for (const found of damaged.splice(0)) {
      await checkGap(checking, [next, found.position - 1]);
      if (parts.isClosing()) return;
      next = Math.max(next, found.through + 1);
      await checkDamaged(parts, found, onLost);
    }
    const after = next - 1;
    for (const recorded of bite) {
      await checkGap(checking, [next, recorded.position - 1]);
      if (parts.isClosing()) return;
      next = recorded.position + 1;
      await checkRecorded(parts, recorded, onLost);
      await checkWorkflow(workflows, recorded);
      if (rest.isDue()) await rest.take();
      if (parts.isClosing()) return;
    }
    await checkPlaces(parts, after, next - 1);
    await rest.take();
    if (parts.isClosing()) return;
  }
  for (const found of damaged) await checkDamaged(parts, found, onLost);
}

interface Rests {
  readonly isDue: () => boolean;
  readonly take: () => Promise<void>;
}

interface Checking {
  readonly parts: Parts;
  readonly rest: Rests;
  readonly onLost: OnLost;
}

function createRests({ runtime: { clock, timers } }: Parts): Rests {
  let since = clock.monoMs();
  return {
    isDue: () => clock.monoMs() - since > biteMsMax,
    take: async () => {
      const worked = clock.monoMs() - since;
      await pause(timers, Math.max(pauseMs, worked * restPerWork), false);
      since = clock.monoMs();
    },
  };
}

async function checkRecorded(parts: Parts, recorded: RecordedEvent, onLost: OnLost): Promise<void> {
  const isFirst = recorded.revision === 0 || recorded.type === 'ActionArchived';
  const actionId = isFirst ? actionOfStream(recorded.stream) : undefined;
  if (actionId === undefined) return;
  await checkFirstEvent(parts, recorded, onLost);
  // Loading folds the stream and checks its chain; a broken one is quarantined.
  await parts.actions.check(actionId);
}

async function checkWorkflow(
  { store }: Workflows,
  { stream, revision }: RecordedEvent,
): Promise<void> {
  const id = revision === 0 ? workflowOfStream(stream) : undefined;
  if (id !== undefined) await store.load(id);
}

/** A row that cannot be read concerns its stream; where not even that can be read, anyone's. */
async function checkDamaged(
  parts: Parts,
  { stream, position, through, reason }: DamagedEvents,
  onLost: OnLost,
): Promise<void> {
  const actionId = actionOfStream(stream);
  if (actionId !== undefined) await parts.actions.check(actionId);
  else if (stream === '') await onLost({ first: position, last: through, reason });
}

/** A stream that its store cannot find whole would look shorter than it is, or new. */
async function checkPlaces(parts: Parts, after: number, through: number): Promise<void> {
  const checked = await parts.store.checkIndex?.({ after, through });
  await hold(parts, checked?.faults);
}

/** What the store knew of them at opening, before anyone is answered. */
export async function holdLostStreams(parts: Parts): Promise<void> {
  await hold(parts, await parts.store.lostStreams?.());
}

async function hold(parts: Parts, faults: readonly IndexFault[] = []): Promise<void> {
  for (const { stream, position, what } of faults) {
    const actionId = actionOfStream(stream);
    if (actionId !== undefined)
      await parts.quarantine.open(actionId, `position ${position} ${what}`);
  }
}

/** What was given up can be most of the file: it is looked at in bites, too. */
async function checkGap({ parts, rest, onLost }: Checking, [first, last]: Gap): Promise<void> {
  if (first > last) return;
  const isToGoOn = async (): Promise<boolean> => {
    if (rest.isDue()) await rest.take();
    return !parts.isClosing();
  };
  const { missing } = await explainGaps(parts.store, [[first, last]], isToGoOn);
  for (const [from, to] of missing)
    await onLost({ first: from, last: to, reason: `Positions ${from} to ${to} are missing.` });
}
