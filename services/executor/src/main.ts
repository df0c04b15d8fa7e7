// The executor as a process of its own: claims what is ready and sends it. Settings: docs/distributed.md.
import { runProcess, serviceDepsOf } from '@action-ledger/process';
import { createExecutor } from './create-executor.ts';

await runProcess({ name: 'executor', open: (parts) => createExecutor(serviceDepsOf(parts)) });
