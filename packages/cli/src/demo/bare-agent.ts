// The agent without a ledger, as most are built: it calls the provider itself, with no key that says
// which action this is, and where a call fails it tries once more.
import { type JsonObject } from '@action-ledger/domain';
import { type Runtime } from '@action-ledger/runtime';
import { type SandboxProvider } from '@action-ledger/sandbox';

export interface BareAgent {
  /** One call, and one more where it ends in an error or in no answer. */
  readonly call: (tool: string, args: JsonObject, patience?: Patience) => Promise<void>;
  /** One request; nothing is tried again. */
  readonly callOnce: (tool: string, args: JsonObject) => Promise<void>;
  readonly pause: (ms: number) => Promise<void>;
}

interface Patience {
  /** How long it waits for an answer. */
  readonly timeoutMs: number;
}

const patient: Patience = { timeoutMs: 5_000 };

export function createBareAgent(provider: SandboxProvider, runtime: Runtime): BareAgent {
  const send = async (
    tool: string,
    args: JsonObject,
    { timeoutMs }: Patience = patient,
  ): Promise<boolean> => {
    const controller = new AbortController();
    const timeout = runtime.timers.after(
      timeoutMs,
      () => {
        controller.abort(new Error('no answer'));
      },
      { keepsAlive: true },
    );
    const key = runtime.ids.next();
    const request = { tenant: 'demo', tool, arguments: args, key, attempt: 1 };
    try {
      return (await provider.send(request, controller.signal)).status < 500;
    } catch {
      return false;
    } finally {
      timeout.cancel();
    }
  };
  return {
    call: async (tool, args, patience) => {
      if (!(await send(tool, args, patience))) await send(tool, args, patience);
    },
    callOnce: async (tool, args) => {
      await send(tool, args);
    },
    pause: (ms) =>
      new Promise((resolve) => {
        runtime.timers.after(ms, resolve, { keepsAlive: true });
      }),
  };
}
