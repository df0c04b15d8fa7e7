// Ends the worker at a drawn point without touching the runs that did not draw it: from the moment a
// run has come to its point, no new delivery begins, and the worker dies when every run under way
// stands at a point of its own. So each run meets its own kills and nobody else's, however many run.

export interface KillGate {
  /** Resolves when the delivery may begin. */
  enter(run: string): Promise<void>;
  leave(run: string): void;
  /** The run has come to its point. Never resolves. */
  dieHere(run: string): Promise<never>;
  isDying(run: string): boolean;
  /** The run will come to a point where nobody can wait: resolves once all others stand still. */
  standStill(run: string): Promise<void>;
}

export function createKillGate(die: () => void): KillGate {
  const active = createUnderWay();
  const dying = new Set<string>();
  const still = new Map<string, (() => void)[]>();
  const waiting: { readonly run: string; readonly begin: () => void }[] = [];
  /** The run that goes on while all others stand still. */
  let alone: string | undefined;

  const isShut = (): boolean => dying.size > 0 || still.size > 0 || alone !== undefined;
  const beginAll = (): void => {
    for (const each of waiting.splice(0)) {
      active.begin(each.run);
      each.begin();
    }
  };
  /** Something has changed: is everybody where they have to be? */
  const look = (): void => {
    if (active.runs().some((run) => !dying.has(run) && !still.has(run))) return;
    const next = [...still][0];
    if (dying.size > 0) die();
    else if (next === undefined) beginAll();
    else {
      const [run, goOn] = next;
      still.delete(run);
      alone = run;
      for (const each of goOn) each();
    }
  };
  return {
    enter: (run) =>
      new Promise((resolve) => {
        // A second delivery of a run under way belongs to what it does now.
        if (isShut() && !active.has(run)) {
          waiting.push({ run, begin: resolve });
          return;
        }
        active.begin(run);
        resolve();
      }),
    leave: (run) => {
      if (!active.end(run)) return;
      if (alone === run) alone = undefined;
      look();
    },
    dieHere: (run) => {
      dying.add(run);
      look();
      return new Promise(() => undefined);
    },
    isDying: (run) => dying.has(run),
    standStill: (run) => {
      if (alone === run) return Promise.resolve();
      return new Promise((resolve) => {
        still.set(run, [...(still.get(run) ?? []), resolve]);
        look();
      });
    },
  };
}

/** Deliveries under way, by run. */
interface UnderWay {
  begin(run: string): void;
  /** @returns whether it was the run's last */
  end(run: string): boolean;
  has(run: string): boolean;
  runs(): readonly string[];
}

function createUnderWay(): UnderWay {
  const counts = new Map<string, number>();
  return {
    begin: (run) => {
      counts.set(run, (counts.get(run) ?? 0) + 1);
    },
    end: (run) => {
      const left = (counts.get(run) ?? 1) - 1;
      if (left > 0) counts.set(run, left);
      else counts.delete(run);
      return left <= 0;
    },
    has: (run) => counts.has(run),
    runs: () => [...counts.keys()],
  };
}
