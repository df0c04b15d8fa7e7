// One look at a time per action; a look that is asked for meanwhile follows.

interface Look {
  again: boolean;
  done: Promise<void>;
}

export function createAttending(
  look: (actionId: string) => Promise<void>,
  onFault: (where: string, fault: unknown) => void,
): (actionId: string) => Promise<void> {
  const looks = new Map<string, Look>();
  const run = async (actionId: string, current: Look): Promise<void> => {
    try {
      while (current.again) {
        current.again = false;
        await look(actionId);
      }
    } catch (fault) {
      onFault(`looking at ${actionId}`, fault);
    } finally {
      looks.delete(actionId);
    }
  };
  return (actionId) => {
    const under = looks.get(actionId);
    if (under !== undefined) {
      under.again = true;
      return under.done;
    }
    const current: Look = { again: true, done: Promise.resolve() };
    looks.set(actionId, current);
    current.done = run(actionId, current);
    return current.done;
  };
}
