export * from './any-access.ts';
export * from './json-web-token.ts';
export { type KeyRecord } from './key-records.ts';
export * from './key-ring.ts';
export { type Access, type Credentials, type Principal, type Role, roles } from './principal.ts';
