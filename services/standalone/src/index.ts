export { createDesk, type Desk, type DeskAnswer, type DeskDeps, type DeskRequest } from './desk.ts';
export { openDesk, type OpenDeskOptions } from './open-desk.ts';
export { type Metering, type MetricsPlace } from './metering.ts';
export { type Notifying, type NotifyingOptions } from './open-notifying.ts';
export { openStandalone, type Standalone, type StandaloneOptions } from './open-standalone.ts';
