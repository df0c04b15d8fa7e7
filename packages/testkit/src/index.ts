export * from './event-store-contract/index.ts';
export * from './virtual-runtime.ts';
