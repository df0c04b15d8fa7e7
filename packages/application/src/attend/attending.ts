// One look at a time per action; a look that is asked for meanwhile follows.

interface Look {
  again: boolean;
  done: Promise<void>;
  /** What the last look broke by. */
  fault: unknown;
}

export interface Attending {
  /** Never rejects: a fault is told, and a later look tries again. */
  readonly attend: (due: string) => Promise<void>;
  /** Rejects where the look broke: what was due may not be on record. */
  readonly attendOrFail: (due: string) => Promise<void>;
}

export function createAttending(
  look: (due: string) => Promise<void>,
  onFault: (where: string, fault: unknown) => void,
): Attending {
  const looks = new Map<string, Look>();
  const run = async (due: string, current: Look): Promise<void> => {
    try {
      while (current.again) {
        current.again = false;
        await look(due);
      }
    } catch (fault) {
      current.fault = fault ?? new Error('It failed and did not say why.');
      onFault(`looking at ${due}`, fault);
    } finally {
      looks.delete(due);
    }
  };
  const begin = (due: string): Look => {
    const under = looks.get(due);
    if (under !== undefined) {
      under.again = true;
      return under;
    }
    const current: Look = { again: true, done: Promise.resolve(), fault: undefined };
    looks.set(due, current);
    current.done = run(due, current);
    return current;
  };
  return {
    attend: (due) => begin(due).done,
    attendOrFail: async (due) => {
      const current = begin(due);
      await current.done;
      if (current.fault !== undefined) throw asError(current.fault);
    },
  };
}

function asError(fault: unknown): Error {
  return fault instanceof Error ? fault : new Error(String(fault));
}
