export * from './create-reconciler.ts';
