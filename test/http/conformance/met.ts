// Which of what the document declares was met: every status of every operation must be, or have its reason here.
import { misfitOf } from '../answers-fit.ts';
import { type Said } from '../world.ts';
import { type Operation, operations } from './operations.ts';

/** By status, or by operation and status. */
const notMet: Readonly<Record<string, string>> = {
  'openApi 500': 'nothing of the ledger is asked for it',
  'health 500': 'nothing of the ledger is asked for it',
  'getSchema 500': 'it is a constant',
  'listSubjects 500': 'it is a constant',
  'listVersions 500': 'it is a constant',
  'getVersion 500': 'it is a constant',
  'getCompatibility 500': 'it is a constant',
  'docs 500': 'it is a constant',
  'docsFile 500': 'it would take files of a library that cannot be read',
  'createKey 409': 'it takes 10,000 keys on record; the key ring has its own test',
};

export interface Met {
  /** @throws where the answer does not stand in the document */
  readonly hold: (operation: Operation, said: Said, asked: unknown) => void;
  readonly count: () => number;
  readonly statuses: () => readonly number[];
  readonly codes: () => readonly string[];
  readonly missing: () => readonly string[];
  /** Reasons for what the document does not declare. */
  readonly needless: () => readonly string[];
}

export function createMet(): Met {
  const pairs = new Map<string, number>();
  const codes = new Set<string>();
  const statuses = new Set<number>();
  let count = 0;
  const declared = operations.flatMap(({ id, statuses: own }) =>
    own.map((status) => `${id} ${status}`),
  );
  return {
    hold: (operation, said, asked) => {
      count += 1;
      const misfit = misfitOf(operation.method, operation.path, said);
      if (misfit !== undefined)
        throw new Error(`${operation.id}: ${misfit}\nasked: ${JSON.stringify(asked)}`);
      const pair = `${operation.id} ${said.status}`;
      pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
      statuses.add(said.status);
      if (said.json.code !== undefined) codes.add(said.json.code);
    },
    count: () => count,
    statuses: () => [...statuses].sort((a, b) => a - b),
    codes: () => [...codes].sort(),
    missing: () => declared.filter((pair) => !pairs.has(pair) && !(pair in notMet)),
    needless: () => Object.keys(notMet).filter((pair) => !declared.includes(pair)),
  };
}
