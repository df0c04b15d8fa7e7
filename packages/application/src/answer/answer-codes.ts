// Every code that an answer without an action's own outcome can bear: those of this package, and those
// that the domain and the tools refuse with. Where an action failed, its answer bears the provider's
// code instead. Every code stands in docs/errors.md.
import {
  type ActionRefusalCode,
  type IdentityRefusalCode,
  type JsonRefusalCode,
} from '@action-ledger/domain';
import { type argumentsRefusalCode } from '@action-ledger/tools';

export const answerCodes = [
  'edit.denied',
  'edit.other-tool',
  'edit.overtaken',
  'edit.unchanged',
  'epochs.exhausted',
  'key.other-arguments',
  'ledger.closing',
  'ledger.paused',
  'ledger.recovering',
  'ledger.store-unavailable',
  'ledger.store-uncertain',
  'read.failed',
  'repeat.arguments-needed',
  'repeat.too-early',
  'stream.broken',
  'tool.only-reads',
  'tool.served-here',
  'tool.takes-secrets',
  'tool.unknown',
] as const;

export type AnswerCode = (typeof answerCodes)[number];

export type RefusedCode =
  | AnswerCode
  | ActionRefusalCode
  | IdentityRefusalCode
  | JsonRefusalCode
  | typeof argumentsRefusalCode;
