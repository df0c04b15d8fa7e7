export * from './attempt-outcome.ts';
export * from './attempt-result.ts';
export { callerDeclaration, callerTool } from './caller-tool.ts';
export {
  compareDeclarations,
  declarationDigest,
  declarationEvent,
  type DeclarationComparison,
  type DeclarationData,
} from './declaration-event.ts';
export { loosenedRules } from './loosened-rules.ts';
export { type LoadLimits } from './declare-load.ts';
export { defineTool } from './define-tool.ts';
export * from './definition.ts';
export { formatDownstreamKey } from './downstream-key.ts';
export { type Duration, parseDuration } from './duration.ts';
export * from './http/http-definition.ts';
export {
  createHttpClient,
  type HttpAnswer,
  type HttpClient,
  type HttpClientOptions,
  type HttpRequest,
} from './http/http-client.ts';
export { httpTool } from './http/http-tool.ts';
export { httpToolFile, secretsOfToolFile, type ToolFileOptions } from './http/http-tool-file.ts';
export { retryAfterMs } from './http/retry-after.ts';
export { type LateOutcome, runExecute } from './run-execute.ts';
export { type LookupOutcome, lookupShape, runLookup } from './run-lookup.ts';
export { keepLease, type Lease } from './run/keep-lease.ts';
export { passThrough, type Read, runUnrecorded } from './run/pass-through.ts';
export * from './run/recorded-outcome.ts';
export { runTool, type SendFrame } from './run/run-tool.ts';
export { inputFromJsonSchema } from './schema/json-schema.ts';
export * from './refusal-codes.ts';
export { RegistrationRefused } from './registration-refused.ts';
export { isThenable, silence } from './thenable.ts';
export { observedTool } from './observed-tool.ts';
export * from './tool.ts';
export {
  type ToolDeclarationCode,
  toolDeclarationCodes,
  ToolDeclarationError,
} from './tool-declaration-error.ts';
export { createToolSet, type ToolSet, type Undoing } from './tool-set.ts';
