export { type Auditor, type AuditorDeps, createAuditor } from './create-auditor.ts';
export { compareStates, type CompareStatesDeps } from './states/compare-states.ts';
