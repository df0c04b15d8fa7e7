// Each service has a program of its own, which runs from its import to its end.
import { type ServiceName } from './service-names.ts';

const programs: Readonly<Record<ServiceName, () => Promise<unknown>>> = {
  gateway: () => import('@action-ledger/gateway/main'),
  intake: () => import('@action-ledger/intake/main'),
  projector: () => import('@action-ledger/projector/main'),
  executor: () => import('@action-ledger/executor/main'),
  reconciler: () => import('@action-ledger/reconciler/main'),
  compensator: () => import('@action-ledger/compensator/main'),
  auditor: () => import('@action-ledger/auditor/main'),
  notifier: () => import('@action-ledger/notifier/main'),
};

/** Resolves when it has stopped; then `process.exitCode` says how. */
export async function serveService(service: ServiceName): Promise<void> {
  await programs[service]();
}
