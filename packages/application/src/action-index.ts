// The index is a projection and lives with the read models.
export {
  type ActionIndex,
  type ActionRow,
  createMemoryActionIndex,
  type ListFilter,
  type MatchKey,
  rowOf,
} from '@action-ledger/read-models';
