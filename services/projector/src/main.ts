// The projector as a process of its own: of several, one works. Settings: docs/distributed.md.
import { runProcess } from '@action-ledger/process';
import { createProjector } from './create-projector.ts';

await runProcess({ name: 'projector', open: (parts) => createProjector(parts) });
