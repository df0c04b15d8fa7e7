// What stands between one process and the world around it, as its lines share it.
import { type Chaos } from './chaos.ts';
import { type Dice } from './dice.ts';
import { type Life } from './life.ts';

export interface Ether {
  readonly life: Life;
  readonly dice: Dice;
  readonly chaos: Chaos;
  /** Of the world's time: it passes for what is on its way, whatever becomes of the process. */
  readonly pause: (ms: number) => Promise<void>;
  readonly isStoreAway: () => boolean;
  /** The process dies here; never resolves. */
  readonly killed: () => Promise<never>;
  /** A request under this key stood before the socket for longer than it may. */
  readonly onStalledSend: (key: string) => void;
}
