// The index is a projection and lives with the read models.
export {
  type ActionIndex,
  type ActionRow,
  createMemoryActionIndex,
  isUndoable,
  type ListFilter,
  type MatchKey,
  type ObservedFilter,
  type ProviderName,
  providerNamesOf,
  providerNameText,
  rowOf,
  type UnknownFilter,
  type UnknownPlace,
  unknownPlace,
} from '@action-ledger/read-models';
