// The line between one process and the provider. A process may stand still between `beforeSend` and the
// socket: that is a class of its own, in which a second effect is possible and must be found (DESIGN.md
// section 2). All else that goes wrong on the way is the provider's weather.
import { streamOfAction } from '@action-ledger/domain';
import { type ProviderPort } from '@action-ledger/sandbox';
import { type Ether } from './ether.ts';
import { never } from './life.ts';

/** @param actionOf whose downstream key it is, as recorded */
export function providerLine(
  ether: Ether,
  provider: ProviderPort,
  actionOf: (key: string) => string | undefined,
): ProviderPort {
  const { life, chaos, dice, pause, sends, known } = ether;
  return {
    send: async (request, signal) => {
      const call = `${request.key} ${request.attempt}`;
      if (chaos.strikes('process: killed before a call', 0.003, call)) return ether.killed();
      if (chaos.strikes('process: stalled before the socket', 0.002, call)) {
        ether.onStalledSend(request.key);
        await pause(dice.between(70_000, 400_000, call, 'stall'));
      }
      sends.leaves(request);
      if (known.isUncertain(streamOfAction(actionOf(request.key) ?? '')))
        ether.breach(`${request.key}: sent after an append in doubt, without a look at its stream`);
      const isStalled = chaos.strikes('process: stalled', 0.05, 'while it sends', call);
      // Of nothing that was done: then it is sent again, and there is a next one.
      const isLost = isStalled && chaos.strikes('provider: request lost', 0.7, 'stalled', call);
      const reply = isLost ? never() : provider.send(request, signal);
      if (chaos.strikes('process: killed after a call', 0.004, call)) {
        reply.catch(() => undefined);
        return ether.killed();
      }
      if (isStalled) {
        // Long enough for another one to take over, and to send again.
        const isTogether = chaos.strikes('process: wakes as another sends', 0.8, call);
        const [least, most] = isTogether ? [120_000, 420_000] : [45_000, 200_000];
        ether.stall(dice.between(least, most, call, 'stalled'));
        if (isTogether) sends.onNext(request.key, ether.wake);
      }
      return throughGate(ether, reply).then((got) => {
        sends.answered(request, got.status);
        return got;
      });
    },
    lookUp: async (query, signal) => {
      const hasLookedUp = sends.looksUp(query.key);
      await life.pass();
      const found = await throughGate(ether, provider.lookUp(query, signal));
      hasLookedUp(found.found);
      if (chaos.strikes('clock: jumps', 0.05, 'after a lookup', query.key))
        ether.jump(dice.between(60_000, 600_000, 'jump', query.key));
      return found;
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
