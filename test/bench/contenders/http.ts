// The bare call: nothing is recorded, a call without an answer is made again.
import { type Contender, type ContenderContext, type Told } from '../contender.ts';
import { type PaymentArguments } from '../payment.ts';

const triesMax = 3;

export function openHttp({ effects }: ContenderContext): Contender {
  const perform = async (_n: number, payment: PaymentArguments, tries = 1): Promise<Told> => {
    try {
      await effects.send(payment.payment_id, payment);
      return 'done';
    } catch {
      return tries < triesMax ? perform(_n, payment, tries + 1) : 'failed';
    }
  };
  return { perform: (n, payment) => perform(n, payment), close: () => undefined };
}
