// What is wrong with recorded calls or their catalogue, told with what to do about it.
import { TraceFault } from '@action-ledger/sandbox';
import { CliError } from '../cli-error.ts';

/** Anything else comes back as it is. */
export function asCliError(error: unknown): unknown {
  if (!(error instanceof TraceFault)) return error;
  const fix = error.line === undefined ? catalogueFix : lineFix;
  return new CliError(error.code, error.message, { fix, cause: error });
}

const lineFix =
  'give one JSON object per line, each one call (NDJSON); docs/recorded-calls.md describes its members.';
const catalogueFix =
  'the tools of the calls stand in catalog/<domain>.json beside them, or in the folder of --catalogue; docs/recorded-calls.md says how.';
