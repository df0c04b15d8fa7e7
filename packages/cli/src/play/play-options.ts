// What a play is told: which files, which faults, how many runs at once.
import { InvalidArgumentError } from 'commander';

/** A ledger that is played through over HTTP. */
export type ServerOptions =
  | {
      /** `action-ledger start --sandbox`, started by the play. */
      readonly kind: 'own';
      /** Of the deliveries: kill -9 soon after it has begun. */
      readonly kills: number;
    }
  | {
      /** Services in processes of their own, over servers that the environment names. */
      readonly kind: 'distributed';
      /** Of the deliveries: kill -9 of one of the services soon after it has begun. */
      readonly kills: number;
    }
  | {
      /** Started by somebody else, on this machine. */
      readonly kind: 'running';
      readonly url: string;
      /** Where its tools send: the play answers there. */
      readonly providerPort: number;
    };

export interface PlayOptions {
  readonly files: readonly string[];
  /** Folder of `<domain>.json`; without it, `catalog` beside each file. */
  readonly catalogue: string | undefined;
  /** Shares from 0 to 1. */
  readonly lostResponses: number;
  readonly timeouts: number;
  readonly duplicateDeliveries: number;
  /** Of the passes of a point of the write path that every action passes; undefined: nobody is killed. */
  readonly kills: number | undefined;
  /** Undefined: the ledger is no server. */
  readonly server: ServerOptions | undefined;
  readonly seed: number;
  /** Where the ledger is kept; without it, nowhere after the play. Of a running server: its file. */
  readonly path: string | undefined;
  /** Play no more runs than this. */
  readonly runsMax: number;
  readonly runsAtOnce: number;
}

export const defaultRunsAtOnce = 16;
export const runsAtOnceMax = 256;
export const defaultKillShare = 0.005;
/** Where the tools of `start --sandbox` send, and where a play answers them. */
export const providerPortUsual = 7474;

/** `5%`, `5`, `0.5%`: percent, as a share. */
export function percent(text: string): number {
  const found = /^(\d{1,3}(?:\.\d{1,6})?)%?$/.exec(text.trim());
  const value = Number(found?.[1] ?? Number.NaN);
  if (!(value <= 100)) throw new InvalidArgumentError('Give percent from 0 to 100, such as 5%.');
  return value / 100;
}

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) {
      const upTo = max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`;
      throw new InvalidArgumentError(`Give a whole number from ${min}${upTo}.`);
    }
    return value;
  };
}
