// What is compared: something that performs a payment and tells its caller what became of it.
import { type EffectsClient } from './effects-client.ts';
import { type ClientName } from './options.ts';
import { type PaymentArguments } from './payment.ts';

/** `being checked`: not known yet; the caller is to ask again. `failed`: told that nothing was done. */
export type Told = 'done' | 'duplicate' | 'failed' | 'being checked';

export interface Contender {
  /**
   * `n` is the payment's number: the call's id, where a contender knows calls. A contender that can say
   * "being checked" says it after `patienceMs`, where that is given.
   */
  perform(n: number, payment: PaymentArguments, patienceMs?: number): Told | Promise<Told>;
  /** Group commits so far. */
  commits?(): number;
  /** Of its other processes, so far. */
  cpuMs?(): Promise<number>;
  close(): void | Promise<void>;
}

/** The name of every contender's database in its folder. */
export const mainFile = 'main.db';

export interface ContenderContext {
  readonly dir: string;
  readonly effects: EffectsClient;
  /** The endpoint's, for processes of the contender that call it themselves. */
  readonly port: number;
  readonly client: ClientName;
  /** What the yardstick is to store per action: arguments, result and filler. */
  readonly yardstickBytes: number;
}
