export * from './event-store-contract/index.ts';
export * from './virtual-runtime.ts';
export * from './event-log-contract/index.ts';
