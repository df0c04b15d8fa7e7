// The projector as a process of its own: of several, one works. Settings: docs/distributed.md.
import { encodersOf, runProcess } from '@action-ledger/process';
import { createProjector } from './create-projector.ts';

await runProcess({
  name: 'projector',
  open: async (parts, stop) => {
    const encode = await encodersOf(parts, stop);
    return createProjector({ ...parts, ...(encode === undefined ? {} : { encode }) });
  },
});
