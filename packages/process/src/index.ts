export { accessOf, type Admission } from './access-of.ts';
export { endpointsOf } from './endpoints-of.ts';
export { openLog, openStore, type StoreSettings, type Waiting, whenThere } from './open-ports.ts';
export { overOwnCore } from './over-own-core.ts';
export {
  ownCoreOf,
  type ProcessParts,
  type Running,
  serviceDepsOf,
  sha256,
} from './process-parts.ts';
export { encodersOf, proposalDecoderOf, stateTextOf } from './records.ts';
export { runProcess, type ServiceShape } from './run-process.ts';
export {
  type Env,
  readSettings,
  readStoreSettings,
  type Setting,
  type Settings,
  settingsKnown,
  unknownSettings,
} from './settings.ts';
export { stopTimes } from './stopping.ts';
export { checkSecretKey } from './secret-digest.ts';
export { SetupFault } from './setup-fault.ts';
export { loadTools } from './tools/load-tools.ts';
