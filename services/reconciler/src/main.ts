// The reconciler as a process of its own: settles what is not known. Settings: docs/distributed.md.
import { runProcess, serviceDepsOf } from '@action-ledger/process';
import { createReconciler } from './create-reconciler.ts';

await runProcess({ name: 'reconciler', open: (parts) => createReconciler(serviceDepsOf(parts)) });
