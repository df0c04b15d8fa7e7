// The world of one play: a provider in this process that gives every effect a receipt of its own and
// does to the nth request what the case says.
import { type Runtime } from '@action-ledger/runtime';
import { createProvider, type SandboxProvider } from '@action-ledger/sandbox';
import { type DemoCase } from './demo-case.ts';

export function createDemoProvider(demo: DemoCase, runtime: Runtime): SandboxProvider {
  let requests = 0;
  let receipts = 0;
  return createProvider({
    runtime,
    behaviour: () => demo.behaviour ?? {},
    fault: () => {
      requests += 1;
      return demo.fault?.(requests);
    },
    answer: ({ arguments: args }) => {
      const error = demo.refuses?.(args);
      if (error !== undefined) return { kind: 'refused', error };
      receipts += 1;
      return { kind: 'accepted', result: { receipt: `R-${receipts}` } };
    },
  });
}
