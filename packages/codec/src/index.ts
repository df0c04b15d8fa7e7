export * from './fold.ts';
export * from './seal.ts';
export * from './unseal.ts';
