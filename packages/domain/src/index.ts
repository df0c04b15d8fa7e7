export * from './json/json-value.ts';
export * from './identity/declaration.ts';
export * from './action/index.ts';
export * from './refusal.ts';
export * from './chain.ts';
export { type Sha256 } from './sha256.ts';
