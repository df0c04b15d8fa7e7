export * from './event-store-contract/index.ts';
