// The intake as a process of its own. Settings: docs/distributed.md.
import { proposalDecoderOf, runProcess, serviceDepsOf } from '@action-ledger/process';
import { createIntake } from './create-intake.ts';

await runProcess({
  name: 'intake',
  open: (parts) => {
    const { sha256, settings } = parts;
    const { intakeTenants: tenants } = settings;
    return createIntake({
      ...serviceDepsOf(parts),
      sha256,
      decode: proposalDecoderOf(parts),
      ...(tenants === undefined ? {} : { tenants }),
    });
  },
});
