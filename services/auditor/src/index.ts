export { type Auditor, type AuditorDeps, createAuditor } from './create-auditor.ts';
