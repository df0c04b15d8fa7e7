// The line between one process and the provider. A process may stand still between `beforeSend` and the
// socket: that is a class of its own, in which a second effect is possible and must be found (DESIGN.md
// section 2). All else that goes wrong on the way is the provider's weather.
import { type ProviderPort } from '@action-ledger/sandbox';
import { type Ether } from './ether.ts';

export function providerLine(ether: Ether, provider: ProviderPort): ProviderPort {
  const { life, chaos, dice, pause } = ether;
  return {
    send: async (request, signal) => {
      const call = `${request.key} ${request.attempt}`;
      if (chaos.strikes('process: killed before a call', 0.003, call)) return ether.killed();
      if (chaos.strikes('process: stalled before the socket', 0.002, call)) {
        ether.onStalledSend(request.key);
        await pause(dice.between(70_000, 400_000, call, 'stall'));
      }
      const reply = provider.send(request, signal);
      if (chaos.strikes('process: killed after a call', 0.004, call)) {
        reply.catch(() => undefined);
        return ether.killed();
      }
      return throughGate(ether, reply);
    },
    lookUp: async (query, signal) => {
      await life.pass();
      return throughGate(ether, provider.lookUp(query, signal));
    },
  };
}

async function throughGate<Result>({ life }: Ether, work: Promise<Result>): Promise<Result> {
  try {
    const result = await work;
    await life.pass();
    return result;
  } catch (error) {
    await life.pass();
    throw error;
  }
}
