export * from './create-executor.ts';
