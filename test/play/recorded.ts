// The recorded calls, which are not part of the project: looked for beside it, or where
// ACTION_LEDGER_TRACES points. Without them their tests are skipped, and say so.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from '@jest/globals';

const folder = process.env['ACTION_LEDGER_TRACES'] ?? join(process.cwd(), '../shared/traces');

export function recorded(name: string): string {
  return join(folder, `${name}-small.ndjson`);
}

export const smallFiles = [
  'agentdojo-banking',
  'agentdojo-office',
  'airline',
  'retail',
  'telecom',
].map(recorded);

const areHere = smallFiles.every((file) => existsSync(file));

export function describeRecorded(what: string, tests: () => void): void {
  if (areHere) {
    describe(what, tests);
    return;
  }
  process.stderr.write(`skipped: ${what} (no recorded calls in ${folder})\n`);
  describe.skip(what, tests);
}
