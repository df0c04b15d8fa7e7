export * from './attempt-result.ts';
export * from './definition.ts';
