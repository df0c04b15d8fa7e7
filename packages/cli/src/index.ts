export { runAsProcess } from './run-as-process.ts';
export { run } from './run.ts';
export { type Io } from './io.ts';
