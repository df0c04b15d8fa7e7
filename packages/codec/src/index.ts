export * from './fold.ts';
export * from './fold-workflow.ts';
export * from './seal.ts';
export * from './unseal.ts';
export * from './event-facts.ts';
export * from './event-line.ts';
