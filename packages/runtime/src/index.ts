export * from './runtime.ts';
export { createSystemRuntime } from './system-runtime.ts';
