export * from './create-compensator.ts';
