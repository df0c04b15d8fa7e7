export * from './any-access.ts';
export * from './json-web-token.ts';
export * from './key-ring.ts';
export * from './open-access.ts';
export {
  type Access,
  bearerToken,
  type Credentials,
  type Principal,
  type Role,
  roles,
} from './principal.ts';
export { type KeyRecord } from './key-records.ts';
