// Asks the ledger for work as long as it is open: what is due of the tools of this program, whoever proposed
// it, and what processes that are gone have left behind.
import type { Work } from '@action-ledger/application';
import { type Runtime } from '@action-ledger/runtime';
import { type Ask } from '../ask.ts';
import { thrownFor } from '../read-answer.ts';
import { listIn } from '../shown.ts';
import { waitMsMax } from '../until-rested.ts';
import { type Pause } from './pause.ts';

export interface WorkDeps {
  /** Given up when the loop ends. */
  readonly ask: Ask;
  readonly pause: Pause;
  readonly runtime: Runtime;
  readonly tools: readonly string[];
  /** Actions whose secret arguments are held here. */
  readonly holding: () => readonly string[];
  /** Never rejects. @returns whether it could be asked for */
  readonly carry: (work: Work) => Promise<boolean>;
  readonly onFault: (where: string, fault: unknown) => void;
  readonly ended: AbortSignal;
}

export interface WorkLoop {
  /** Resolves when it has taken its last. */
  readonly done: Promise<void>;
  /** What it asks for has changed. */
  wake(): void;
}

/** Under way at once, of those that were asked for. */
const underWayMax = 100;
/** A ledger that holds no answer is not asked over and over. */
const heldMsMin = 500;

export function startWork(deps: WorkDeps): WorkLoop {
  let waiting = new AbortController();
  const underWay = new Set<Promise<void>>();
  /** In a row: what is offered and cannot be had is not asked for over and over. */
  let failures = 0;
  const begin = (work: Work): void => {
    const carried = deps.carry(work).then((isCarried) => {
      failures = isCarried ? 0 : failures + 1;
    });
    underWay.add(carried);
    void carried.finally(() => underWay.delete(carried));
  };
  const round = async (): Promise<'some' | 'none' | 'failed'> => {
    const { holding, tools, runtime } = deps;
    waiting = new AbortController();
    const held = holding();
    const body = {
      tools,
      max: underWayMax - underWay.size,
      ...(held.length === 0 ? {} : { holding: held }),
    };
    const asking = { method: 'POST', path: 'v1/work', body, waitMs: waitMsMax } as const;
    const askedMono = runtime.clock.monoMs();
    const { signal } = waiting;
    const told = await deps.ask({ ...asking, signal });
    if (told.kind !== 'answer') {
      if (!deps.ended.aborted) deps.onFault('asking for work', thrownFor(told));
      return 'failed';
    }
    const work = listIn<Work>(told.body, 'work');
    work.forEach(begin);
    const isTooSoon = runtime.clock.monoMs() - askedMono < heldMsMin && !signal.aborted;
    return work.length === 0 && isTooSoon ? 'none' : 'some';
  };
  const loop = async (): Promise<void> => {
    for (let tries = 0; !deps.ended.aborted;) {
      if (underWay.size >= underWayMax) await Promise.race(underWay);
      const came = await round().catch((fault: unknown) => {
        deps.onFault('asking for work', fault);
        return 'failed' as const;
      });
      tries = came === 'some' ? 0 : tries + 1;
      const pauses = Math.max(tries, failures);
      if (pauses > 0) await deps.pause(pauses);
    }
  };
  return {
    done: loop().then(async () => {
      await Promise.all(underWay);
    }),
    wake: () => {
      waiting.abort();
    },
  };
}
