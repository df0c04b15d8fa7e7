export {
  type ActionIndex,
  type ActionRow,
  isUndoable,
  type ListFilter,
  type MatchKey,
  needsAttention,
  type ObservedCalls,
  type ObservedFilter,
  type ProviderName,
  providerNamesOf,
  providerNameText,
  rowOf,
  type UnknownFilter,
  type UnknownPlace,
} from './action-index.ts';
export {
  listFromViews,
  type ListViewsOptions,
  type ViewsList,
  type ViewsListFilter,
} from './list-views.ts';
export { createMemoryActionIndex } from './memory-action-index.ts';
export { type SeenAction, type SeenAfter, seenAfter } from './seen-after.ts';
export { readSideEntries } from './read-side-entries.ts';
export { type NumberedSideEntry, type SideEntry } from './side-entry.ts';
export {
  openSqliteActionIndex,
  type SqliteActionIndex,
  type SqliteActionIndexOptions,
} from './sqlite-action-index.ts';
export { type ViewsFollower } from './follow-store.ts';
export { followViews, type FollowViewsOptions } from './follow-views.ts';
export {
  compareViews,
  type CompareOptions,
  type FoldedStream,
  type ProjectionBreak,
} from './compare-views.ts';
export { foldThrough } from './action-folds.ts';
export {
  createMemoryWorkflowIndex,
  listWorkflows,
  type WorkflowFilter,
  type WorkflowIndex,
  type WorkflowRow,
  workflowRowOf,
  workflowsListedUsual,
} from './workflow-index.ts';
export { foldWorkflows, type FoldedWorkflow } from './workflow-folds.ts';
export { unknownPlace } from './unknowns.ts';
