export * from './event-store.ts';
export * from './store-fault.ts';
