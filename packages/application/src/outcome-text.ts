// A result as it is stored: what JSON can carry, cut to size with a digest of the whole. The first
// caller gets this form too, so that first answer and repeat are equal.
import { type RecordedResult, type Sha256, toRecordable } from '@action-ledger/domain';

/** Larger results are cut; external ids and `keep` fields never are. */
export const resultBytesMax = 64 * 1024;

export function recordable(
  sha256: Sha256,
  value: unknown,
  keep: readonly string[],
): RecordedResult {
  const kept = keep
    .filter((path) => path.startsWith('outcome.'))
    .map((path) => path.slice('outcome.'.length));
  const {
    value: result,
    notes,
    digest,
  } = toRecordable(value, { bytesMax: resultBytesMax, keep: kept, sha256 });
  return {
    result,
    ...(digest === undefined ? {} : { digest }),
    ...(notes.length === 0 ? {} : { notes }),
  };
}
