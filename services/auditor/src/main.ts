// The auditor as a process of its own: what it finds damaged its core puts into quarantine. Settings:
// docs/distributed.md.
import { overOwnCore, runProcess, stateTextOf } from '@action-ledger/process';
import { createAuditor } from './create-auditor.ts';

/** Most actions end within it: then their stream is checked once, and not after each event. */
const lingerMs = 500;
/** It has a process of its own, and waits for the store most of the time. */
const restPerWork = 1;
const atOnceMax = 8;
/** How far it has come is kept often. */
const batchMax = 50;

await runProcess({
  name: 'auditor',
  open: (parts) =>
    overOwnCore(parts, ({ ledger }) =>
      createAuditor({
        ...parts,
        lingerMs,
        restPerWork,
        atOnceMax,
        batchMax,
        states: { textOf: stateTextOf(parts) },
        ownerOfExternalId: (...named) => ledger.ownerOfExternalId(...named),
        quarantine: async (actionId) => (await ledger.load(actionId)).kind === 'broken',
        onBroken: ({ invariant }) => {
          parts.metrics.broken(invariant);
        },
      }),
    ),
});
