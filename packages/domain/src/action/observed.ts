// What the ledger would have done with a call that it only observed.

export const observedWords = [
  'send',
  'duplicate',
  'conflict',
  'approval',
  'denied',
  'paused',
  'refused',
] as const;

/** `send`: the same as it did. For the others the call would not have gone out, or not yet. */
export type ObservedWord = (typeof observedWords)[number];

export interface Observed {
  readonly would: ObservedWord;
  /** The action that the call would have met. */
  readonly action?: string;
  readonly reason?: string;
  /** Of the request that brought it: the same one again is no second call. */
  readonly request?: string;
}

/** As anyone is told it: the request is known by whoever sent it. */
export type ToldObserved = Omit<Observed, 'request'>;

export function toldObserved({ request: _request, ...told }: Observed): ToldObserved {
  return told;
}

/** It went out although the ledger would have kept it from going out now. */
export function isHeldBack(observed: ToldObserved | undefined): boolean {
  return observed !== undefined && observed.would !== 'send';
}
