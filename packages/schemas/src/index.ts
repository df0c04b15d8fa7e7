export { releasedSchemas } from './released.ts';
export { compatibilityLevel, type ReleasedSchema } from './released-schema.ts';
