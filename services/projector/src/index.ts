export * from './create-projector.ts';
export { type Encoders, encodersAsJson } from './project.ts';
