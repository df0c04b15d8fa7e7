// Credentials can end while an answer by them lasts: a key is revoked, a key or a token runs out. Whoever is
// held or follows a stream is let out then, as if they had asked again.
import { type Access, type Principal } from '@action-ledger/access';
import { type Runtime, type Timer } from '@action-ledger/runtime';

export interface LetOutDeps {
  readonly access: Pick<Access, 'whenRevoked'>;
  readonly runtime: Pick<Runtime, 'clock' | 'timers'>;
}

export interface LetOut {
  /** Aborted then. */
  readonly signal: AbortSignal;
  readonly isOut: () => boolean;
  readonly onOut: (act: () => void) => void;
}

/** A wall clock can be set meanwhile, so it is looked at again. */
const lookAgainMs = 60_000;

/** Calls `act` when nobody is let in any more by what let this principal in. @returns ends it */
export function whenLetOut(
  { access, runtime: { clock, timers } }: LetOutDeps,
  principal: Principal,
  act: () => void,
): () => void {
  let timer: Timer | undefined;
  const wait = (until: number): void => {
    const leftMs = until - clock.wallMs();
    if (leftMs <= 0) act();
    else
      timer = timers.after(Math.min(leftMs, lookAgainMs), () => {
        wait(until);
      });
  };
  if (principal.until !== undefined) wait(principal.until);
  const release = access.whenRevoked?.(principal, act);
  return () => {
    timer?.cancel();
    release?.();
  };
}
