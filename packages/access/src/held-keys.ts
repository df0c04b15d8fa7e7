// Who is still being answered by a key when it is revoked: they are told with the first reading of the
// records that says so. While somebody waits, the records are read again and again, since no request does it.
import { type Timer, type Timers } from '@action-ledger/runtime';
import { type KeyRecords } from './key-records.ts';

export interface HeldKeys {
  /** @param act called once when the key is revoked, at once where it is known to be @returns ends it */
  readonly hold: (id: string, act: () => void) => () => void;
  /** What is known of the keys now. */
  readonly look: (keys: KeyRecords) => void;
}

interface Hold {
  readonly id: string;
  readonly act: () => void;
}

/** @param read hands what it has read to `look` */
export function createHeldKeys(
  timers: Timers,
  everyMs: number,
  read: () => Promise<unknown>,
): HeldKeys {
  const holds = new Set<Hold>();
  let next: Timer | undefined;
  let latest: KeyRecords = new Map();
  const readOn = (): void => {
    next = timers.after(everyMs, () => {
      // A store that is away records nothing that could be shown meanwhile.
      void read()
        .catch(() => undefined)
        .then(() => {
          if (next !== undefined) readOn();
        });
    });
  };
  const release = (hold: Hold): void => {
    if (!holds.delete(hold) || holds.size > 0) return;
    next?.cancel();
    next = undefined;
  };
  return {
    hold: (id, act) => {
      const hold = { id, act };
      if (latest.get(id)?.revoked !== undefined) {
        act();
        return () => undefined;
      }
      holds.add(hold);
      if (next === undefined) readOn();
      return () => {
        release(hold);
      };
    },
    look: (keys) => {
      latest = keys;
      for (const hold of [...holds]) {
        if (keys.get(hold.id)?.revoked === undefined) continue;
        release(hold);
        hold.act();
      }
    },
  };
}
