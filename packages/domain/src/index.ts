export * from './json/json-value.ts';
export * from './identity/declaration.ts';
export * from './action/tool-rules.ts';
export * from './refusal.ts';
