// The compensator as a process of its own: settles and undoes workflows. Settings: docs/distributed.md.
import { runProcess, serviceDepsOf } from '@action-ledger/process';
import { createCompensator } from './create-compensator.ts';

await runProcess({ name: 'compensator', open: (parts) => createCompensator(serviceDepsOf(parts)) });
