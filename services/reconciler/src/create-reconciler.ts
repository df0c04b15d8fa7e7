// Settles what is not known, ends leases and what has expired, and completes what was told only half. What
// an event asks for is due later, or asks a provider, so it is kept in the due index of the core and not
// waited for: what is due stands in the streams, and is found there after a crash.
import { createDutyService, type Service, type ServiceDeps } from '@action-ledger/application';
import { actionOfStream } from '@action-ledger/domain';

export type ReconcilerDeps = ServiceDeps;

export function createReconciler(deps: ReconcilerDeps): Service {
  return createDutyService(deps, {
    name: 'reconciler',
    duty: 'reconcile',
    act: async (core, places) => {
      for (const actionId of new Set(places.flatMap(({ stream }) => actionOfStream(stream) ?? [])))
        core.wake(actionId);
    },
  });
}
