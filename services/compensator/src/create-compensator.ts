// Drives workflows: settles their steps, completes what is half told, and undoes finished steps in reverse
// order by actions of their own. It sends nothing itself. A workflow is looked at when it, or an action of
// it, has moved.
import { createDutyService, type Service, type ServiceDeps } from '@action-ledger/application';
import { workflowOfStream } from '@action-ledger/domain';

export type CompensatorDeps = ServiceDeps;

export function createCompensator(deps: CompensatorDeps): Service {
  return createDutyService(deps, {
    name: 'compensator',
    duty: 'compensate',
    act: async (core, places) => {
      // Actions that have moved wake their workflows when the core takes them over.
      for (const { stream } of places)
        if (workflowOfStream(stream) !== undefined) core.wake(stream);
    },
  });
}
