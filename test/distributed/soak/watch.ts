// Looks at every service of a soak twice a second, by what it serves for Prometheus: how long something waits there
// and nothing gets on, and what still waits.
import { type Fleet, type Member } from '@action-ledger/cli/play';
import { type Runtime } from '@action-ledger/runtime';
import { pause } from './faults.ts';

export interface Watch {
  /** Seconds, and of which service. */
  readonly longestSilence: () => { readonly service: string; readonly seconds: number };
  /** Nothing stands still any more. */
  readonly calm: () => Promise<void>;
  /** Nothing waits any more. */
  readonly drained: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface Look {
  readonly stalledSeconds: number;
  readonly lag: number;
}

const everyMs = 500;
/** After a fault everything has to get on for so long before the next. */
const calmLooks = 3;
const calmSeconds = 10;

export function startWatch({ members }: Fleet, runtime: Runtime): Watch {
  let longest = { service: 'none', seconds: 0 };
  let latest = new Map<Member, Look | undefined>();
  let looks = 0;
  let isStopped = false;
  const look = async (): Promise<void> => {
    const seen = await Promise.all(
      members.map(async (member) => [member, await lookAt(member)] as const),
    );
    for (const [{ service }, found] of seen)
      if ((found?.stalledSeconds ?? 0) > longest.seconds)
        longest = { service, seconds: found?.stalledSeconds ?? 0 };
    latest = new Map(seen);
    looks += 1;
  };
  const goOn = async (): Promise<void> => {
    while (!isStopped) {
      await look();
      await pause(runtime, everyMs);
    }
  };
  const going = goOn();
  const until = async (holds: (look: Look) => boolean): Promise<void> => {
    let held = 0;
    let seen = looks;
    while (held < calmLooks) {
      await pause(runtime, everyMs / 2);
      if (seen === looks) continue;
      seen = looks;
      const all = [...latest.values()];
      held = all.every((each) => each !== undefined && holds(each)) ? held + 1 : 0;
    }
  };
  return {
    longestSilence: () => longest,
    calm: () => until(({ stalledSeconds }) => stalledSeconds < calmSeconds),
    drained: () => until(({ lag }) => lag === 0),
    stop: async () => {
      isStopped = true;
      await going;
    },
  };
}

/** @returns undefined where it does not answer: it is just starting */
async function lookAt(member: Member): Promise<Look | undefined> {
  const { probes } = member.urls;
  if (probes === undefined) return undefined;
  try {
    const response = await fetch(probes, { signal: AbortSignal.timeout(2_000) });
    const text = await response.text();
    return {
      stalledSeconds: valueOf(text, 'service_stalled_seconds'),
      lag: valueOf(text, 'service_lag'),
    };
  } catch {
    return undefined;
  }
}

function valueOf(text: string, name: string): number {
  const found = new RegExp(`^action_ledger_${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(text);
  return Number(found?.[1] ?? 0);
}
