// Whoever acts on what is on record as soon as it is there: people who cancel, do a thing by hand or close an
// incident, support that passes on a remark, a provider that says what it has or has not done, and an export
// that names an effect which nobody knows. What they say is true but for the last.
import { type Ledger } from '@action-ledger/client';
import { type Action, type ActionEvent, type ActionStatus } from '@action-ledger/domain';
import { type SandboxProvider } from '@action-ledger/sandbox';
import { type VirtualRuntime } from '@action-ledger/testkit/virtual-runtime';
import { type Chaos } from './chaos.ts';
import { type Dice } from './dice.ts';
import { isOfPrograms } from './programs/tools.ts';

export interface Bystanders {
  /** An event of it is on record. */
  readonly onMoved: (action: Action, event: ActionEvent) => void;
  /** Actions that were done by hand, beside the ledger. */
  readonly byHand: ReadonlySet<string>;
}

export interface BystandersDeps {
  readonly time: VirtualRuntime;
  readonly dice: Dice;
  readonly chaos: Chaos;
  readonly provider: () => SandboxProvider;
  readonly front: (nth: number) => Ledger | undefined;
  readonly trace: (line: string) => void;
}

type Deed = 'a remark' | 'a cancel' | 'done by hand' | 'no effect' | 'another effect' | 'closed';
type Act = (there: Ledger, action: Action) => Promise<unknown>;

/** Whoever says that nothing was ever done. */
export const whoDenies = 'provider';
const triesMax = 4;

export function createBystanders(deps: BystandersDeps): Bystanders {
  const { time, dice, chaos, front, trace } = deps;
  const byHand = new Set<string>();
  const actOf = actsOf(deps);

  const carryOut = async (deed: Deed, id: string): Promise<void> => {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const there = front(dice.between(0, 7, 'beside', deed, id, tries));
      try {
        const loaded = await there?.load(id);
        if (there !== undefined && loaded?.kind === 'action') {
          if (loaded.action.status !== 'new') await actOf[deed](there, loaded.action);
          return;
        }
      } catch {
        // Not taken: it is tried again.
      }
      await new Promise<void>((resolve) => void time.timers.after(15_000, resolve));
    }
  };
  return {
    onMoved: (action, event) => {
      const { id, revision } = action;
      const deed = deedIn(action, event, dice.of('beside', id, revision));
      if (deed === undefined) return;
      const chance = chanceOf(deed, action, event);
      if (!chaos.strikes(`beside: ${deed}`, chance, id, revision)) return;
      if (deed === 'done by hand') byHand.add(id);
      const isShort = action.status === 'claimed' || action.status === 'dispatched';
      const ms = dice.between(0, isShort ? 20 : 4_000, 'beside after', id, revision);
      time.timers.after(ms, () => {
        trace(`beside: ${deed} of ${id}`);
        void carryOut(deed, id);
      });
    },
    byHand,
  };
}

/** Nothing of it is sent just now, or ever again, as far as anybody knows. */
const undone: ReadonlySet<ActionStatus> = new Set([
  'planned',
  'awaiting_approval',
  'ready',
  'claimed',
  'dispatched',
  'failed',
  'denied',
  'rejected',
  'expired',
  'cancelled',
  'superseded',
]);
const cancellable: ReadonlySet<ActionStatus> = new Set([
  'planned',
  'awaiting_approval',
  'ready',
  'claimed',
  'dispatched',
  'unknown',
]);

/** @param drawn in [0, 1): who is there to act */
function deedIn({ status, evidence }: Action, event: ActionEvent, drawn: number): Deed | undefined {
  if (event.type === 'IncidentOpened' || event.type === 'DuplicateEffectDetected') return 'closed';
  const isReported = status === 'dispatched' && evidence.some(({ claims }) => claims === 'success');
  if (isReported) return 'another effect';
  if (drawn < 0.35) return 'a remark';
  if (drawn < 0.6) return cancellable.has(status) ? 'a cancel' : 'a remark';
  if (status === 'unknown') return 'no effect';
  return undone.has(status) ? 'done by hand' : 'another effect';
}

/** States that few actions come to, and none stays in for long. */
const rare: ReadonlySet<ActionStatus> = new Set([
  'planned',
  'awaiting_approval',
  'claimed',
  'denied',
  'rejected',
  'expired',
  'superseded',
  'compensating',
  'compensated',
  'compensation_failed',
]);

function chanceOf(deed: Deed, { status, tool, attempts }: Action, { type }: ActionEvent): number {
  if (deed === 'closed') return 0.4;
  // What only tells of a deed is not acted on again and again.
  if (type === 'EvidenceRecorded' && deed !== 'another effect') return 0.002;
  if (status === 'claimed') return attempts.length > 0 ? 0.3 : 0.1;
  if (status === 'dispatched') return chanceWhileSent(deed, tool, attempts.length);
  if (status === 'failed' && tool.startsWith('cancel_')) return 0.3;
  return rare.has(status) ? 0.1 : usual;
}

const usual = 0.012;

function chanceWhileSent(deed: Deed, tool: string, attempts: number): number {
  if (deed === 'another effect') return 0.4;
  if (attempts > 1) return 0.15;
  if (deed === 'a cancel' && isOfPrograms(tool)) return 0.4;
  // Calls that joined it go on record with its end.
  return deed === 'a cancel' && (tool === 'quota' || tool === 'reserve') ? 0.25 : usual;
}

function attemptOf(attempt: Action['attempts'][number] | undefined): { readonly attempt?: number } {
  return attempt === undefined ? {} : { attempt: attempt.attempt };
}

function actsOf({ provider }: BystandersDeps): Readonly<Record<Deed, Act>> {
  return {
    'a remark': (there, { id, revision }) =>
      there.report(id, {
        source: 'support',
        claims: 'note',
        proven: false,
        data: `somebody asked at revision ${revision}`,
      }),
    'a cancel': (there, { id: actionId, revision: revisionSeen }) =>
      there.cancel({ actionId, revisionSeen, by: 'carol', reason: 'no longer wanted' }),
    'done by hand': (there, { id, attempts }) =>
      there.report(id, {
        source: 'back office',
        // It is done for a try of which nothing came.
        ...attemptOf(attempts.find(({ state }) => state === 'no effect')),
        claims: 'success',
        proven: true,
        externalId: `by-hand-${id}`,
        data: { done: 'by hand' },
      }),
    'no effect': async (there, { id, tenant, downstreamKey = '' }) =>
      provider().ofKey(tenant, downstreamKey).length > 0
        ? undefined
        : there.report(id, {
            source: whoDenies,
            claims: 'refusal',
            proven: true,
            neverHadEffect: true,
          }),
    'another effect': (there, { id }) =>
      there.report(id, {
        source: 'export',
        claims: 'success',
        proven: true,
        externalId: `strange-${id}`,
      }),
    closed: async (there, { id: actionId, revision: revisionSeen, incidents: [first] }) =>
      first === undefined
        ? undefined
        : there.closeIncident({
            actionId,
            incident: first.incident,
            by: 'olga',
            reason: 'seen at once',
            revisionSeen,
          }),
  };
}
