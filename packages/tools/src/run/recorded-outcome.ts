// What became of an attempt as it is stored: what JSON can carry, cut to size with a digest of the whole. The first
// caller gets this form too, so that first answer and repeat are equal.
import {
  type AttemptOutcome,
  type RecordedResult,
  type Sha256,
  toRecordable,
} from '@action-ledger/domain';
import { type AttemptOutcome as ToolOutcome } from '../attempt-outcome.ts';
import { type Tool } from '../tool.ts';

/** Larger results are cut; external ids and `keep` fields never are. */
export const resultBytesMax = 64 * 1024;

/** Of the result, among what a tool keeps. */
export function keptPaths(keep: readonly string[]): readonly string[] {
  return keep
    .filter((path) => path.startsWith('outcome.'))
    .map((path) => path.slice('outcome.'.length));
}

export function recordable(
  sha256: Sha256,
  value: unknown,
  keep: readonly string[],
): RecordedResult {
  const {
    value: result,
    notes,
    digest,
  } = toRecordable(value, { bytesMax: resultBytesMax, keep: keptPaths(keep), sha256 });
  return {
    result,
    ...(digest === undefined ? {} : { digest }),
    ...(notes.length === 0 ? {} : { notes }),
  };
}

/** What the tool said, as it will be stored. */
export function storedOutcome(sha256: Sha256, tool: Tool, outcome: ToolOutcome): AttemptOutcome {
  switch (outcome.kind) {
    case 'succeeded': {
      const result = recordable(sha256, outcome.result, tool.keep);
      return {
        kind: 'succeeded',
        ...result,
        ...(outcome.externalId === undefined ? {} : { externalId: outcome.externalId }),
      };
    }
    case 'no effect': {
      const { detail, ...rest } = outcome;
      return detail === undefined
        ? rest
        : { ...rest, detail: recordable(sha256, detail, []).result };
    }
    case 'in doubt':
    case 'not sent':
      return outcome;
  }
}
