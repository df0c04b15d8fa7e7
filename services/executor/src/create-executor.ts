// Claims what is ready and sends it: only tools that it has, and only while it has a free slot. The offset
// of its group moves on once the claim and the dispatch are on record; the call itself is not waited for,
// because the lease makes it recoverable.
import { createDutyService, type Service, type ServiceDeps } from '@action-ledger/application';
import { actionOfStream } from '@action-ledger/domain';

export type ExecutorDeps = ServiceDeps;

export function createExecutor(deps: ExecutorDeps): Service {
  return createDutyService(deps, {
    name: 'executor',
    duty: 'send',
    act: async (core, places) => {
      const actions = new Set(places.flatMap(({ stream }) => actionOfStream(stream) ?? []));
      await Promise.all([...actions].map((actionId) => core.attendSend(actionId)));
    },
    room: (core) => core.room,
  });
}
