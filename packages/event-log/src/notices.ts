// What the owner of a consumer is told. What its functions throw goes no further.
import { type Assignment, type ConsumeOptions, type ConsumerFault } from './event-log.ts';

export interface Notices {
  readonly assigned: (assignment: Assignment) => void;
  readonly revoked: (assignment: Assignment) => void;
  readonly fault: (fault: ConsumerFault) => void;
  readonly mute: () => void;
}

export function createNotices({ onAssigned, onRevoked, onFault }: ConsumeOptions): Notices {
  let isMuted = false;
  const to =
    <Told>(listener: ((told: Told) => void) | undefined) =>
    (told: Told): void => {
      if (!isMuted) tellSafely(listener, told);
    };
  return {
    assigned: to(onAssigned),
    revoked: to(onRevoked),
    fault: to(onFault),
    mute: () => {
      isMuted = true;
    },
  };
}

function tellSafely<Told>(listener: ((told: Told) => void) | undefined, told: Told): void {
  try {
    listener?.(told);
  } catch {
    // Whoever listens answers for itself; the partition goes on.
  }
}
