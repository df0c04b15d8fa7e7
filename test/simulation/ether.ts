// What stands between one process and the world around it, as its lines share it.
import { type Chaos } from './chaos.ts';
import { type Dice } from './dice.ts';
import { type Known } from './known.ts';
import { type Life } from './life.ts';
import { type Sends } from './sends.ts';

export interface Ether {
  readonly life: Life;
  readonly dice: Dice;
  readonly chaos: Chaos;
  /** Of the world's time: it passes for what is on its way, whatever becomes of the process. */
  readonly pause: (ms: number) => Promise<void>;
  readonly isStoreAway: () => boolean;
  readonly sends: Omit<Sends, 'see'>;
  /** The process stands still from now on. */
  readonly stall: (ms: number) => void;
  /** It goes on, where it stands still. */
  readonly wake: () => void;
  /** Of its wall clock. */
  readonly jump: (ms: number) => void;
  /** These events are sent to the store by this process. */
  readonly writes: (ids: readonly string[]) => void;
  readonly breach: (what: string) => void;
  /** The store is behind what it held: nothing goes on in it. */
  readonly isRecovering: () => boolean;
  /** What this process has been told by the store. */
  readonly known: Known;
  /** The process dies here; never resolves. */
  readonly killed: () => Promise<never>;
  /** A request under this key stood before the socket for longer than it may. */
  readonly onStalledSend: (key: string) => void;
}
