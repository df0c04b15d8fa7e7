// What people do while everything is closed down: they put an earlier state of the store in its place, and
// recover; they archive what is over; they have the log read again from its start.
import { archiveActions, confirmRecovery } from '@action-ledger/application';
import { type Action } from '@action-ledger/domain';
import { actionTopics, type MemoryEventLog } from '@action-ledger/event-log';
import { type VirtualRuntime } from '@action-ledger/testkit/virtual-runtime';
import { type Chaos } from './chaos.ts';
import { type Dice } from './dice.ts';
import { type Backup, type Disk } from './disk.ts';
import { sessionMs } from './log-line.ts';
import { type Processes, sha256 } from './processes.ts';
import { type Programs } from './programs/programs.ts';
import { minute } from './tools.ts';

export interface MaintenanceDeps {
  readonly time: VirtualRuntime;
  readonly dice: Dice;
  readonly chaos: Chaos;
  readonly disk: Disk;
  readonly log: () => MemoryEventLog;
  readonly processes: Processes;
  readonly programs: Programs;
  readonly trace: (line: string) => void;
}

const groups = ['executor', 'reconciler', 'compensator', 'auditor'] as const;

export interface Maintenance {
  /** An event of it is on record. */
  readonly onMoved: (action: Action) => void;
}

/** Each at most once in a run, at a time of its own. */
export function scheduleMaintenance(deps: MaintenanceDeps): Maintenance {
  const { time, dice, chaos, disk } = deps;
  let backup: Backup | undefined;
  let isWanted = false;
  const at = dice.between(3 * minute, 12 * minute, 'maintenance at');
  if (chaos.strikes('store: restored', 0.1, 'once')) {
    const sinceMs = dice.between(500, 3 * minute, 'restored from');
    time.timers.after(at - sinceMs, () => {
      backup = disk.backUp();
      isWanted = dice.of('restored to a claim') < 0.6;
    });
    time.timers.after(at, () => {
      isWanted = false;
      void restore(deps, backup);
    });
  } else if (chaos.strikes('store: archived', 0.08, 'once'))
    time.timers.after(at, () => void whileClosed(deps, () => archive(deps, 'during the run')));
  else if (chaos.strikes('log: read again from its start', 0.08, 'once'))
    time.timers.after(at, () => void whileClosed(deps, () => readAgain(deps)));
  return {
    onMoved: ({ status }) => {
      // Between a claim and its dispatch there is little time.
      if (!isWanted || status !== 'claimed') return;
      backup = disk.backUp();
      isWanted = false;
    },
  };
}

/** Whatever has left a process has arrived by then, and its consumers are missed. */
async function whileClosed(deps: MaintenanceDeps, work: () => Promise<void>): Promise<void> {
  const { time, dice, processes, trace } = deps;
  trace('everything is closed down');
  processes.closeDown();
  const ms = sessionMs + dice.between(1_000, 60_000, 'closed for', time.clock.monoMs());
  await pause(deps, ms);
  await work();
  processes.openAgain();
}

async function restore(deps: MaintenanceDeps, backup: Backup | undefined): Promise<void> {
  const { dice, disk, time, trace } = deps;
  if (backup === undefined) return;
  await whileClosed(deps, async () => {
    trace(`the store goes back to position ${backup.events.at(-1)?.position ?? 0}`);
    disk.restore(backup);
  });
  await pause(deps, dice.between(1_000, 90_000, 'recovering for'));
  await whileClosed(deps, async () => {
    const found = await confirmRecovery(
      { store: disk.store(), runtime: time, sha256 },
      { by: 'olga', reason: 'looked through it' },
    );
    trace(`recovered: ${found?.recovery ?? 'nothing was lost'}`);
  });
}

/** So long that nothing is valid any more. */
const restMs = 60 * minute;

export async function archiveInTheEnd(deps: MaintenanceDeps): Promise<void> {
  const { time, processes, programs } = deps;
  processes.closeDown();
  programs.closeDown();
  await time.advance(restMs);
  await archive(deps, 'in the end');
  processes.openAgain();
  programs.openAgain();
  await time.advance(2 * minute);
}

/** It may end anywhere in between: then it is done again. */
async function archive(deps: MaintenanceDeps, when: string): Promise<void> {
  const { chaos, disk, time, trace } = deps;
  const settledBefore = time.clock.wallMs() - minute;
  for (let isDone = false; !isDone;)
    try {
      const report = await archiveActions(
        {
          store: disk.store(),
          runtime: time,
          sha256,
          folder: disk.archives,
          onPoint: (point) => {
            if (chaos.strikes('process: killed at a point', 0.1, 'archive', point, when))
              throw new Ended();
          },
        },
        { settledBefore, by: 'olga', all: true },
      );
      isDone = true;
      trace(`archived: ${JSON.stringify(report)}`);
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
      trace('the archiving ends in the middle');
    }
}

class Ended extends Error {}

async function readAgain({ log, trace }: MaintenanceDeps): Promise<void> {
  trace('the log is read again');
  for (const group of groups)
    await log().reset({ group, topics: [actionTopics.events], to: 'start' });
}

function pause({ time }: MaintenanceDeps, ms: number): Promise<void> {
  return new Promise((resolve) => void time.timers.after(ms, resolve));
}
