// Why something does not fit its form: with the names of the members, never with their values.
import { jsonPointer, placeOf } from '@action-ledger/domain';
import { type ZodError } from 'zod';

export interface MisfitProblem {
  /** RFC 6901. */
  readonly pointer: string;
  readonly message: string;
}

export interface Misfit {
  /** The first problem, and its place as a person reads it. */
  readonly message: string;
  readonly place: string;
  readonly problems: readonly MisfitProblem[];
}

/** Of a form with hundreds of wrong members, so many are named. */
const namedMax = 10;

export function misfitOf({ issues }: ZodError): Misfit {
  // A member of a wrong name is most often the one that is missing: it says more than that.
  const strangersFirst = [...issues].sort((a, b) => Number(isStranger(b)) - Number(isStranger(a)));
  const found = strangersFirst.slice(0, namedMax).flatMap((issue) => {
    const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
    if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
    return issue.keys
      .slice(0, namedMax)
      .map((name) => ({ path: [...path, name], message: 'This member is not known here' }));
  });
  const [first] = found;
  return {
    message: first?.message.toWellFormed() ?? 'Something does not fit',
    place: first === undefined ? 'the root' : placeOf(first.path),
    problems: found.map(({ path, message }) => ({
      pointer: jsonPointer(path),
      message: message.toWellFormed(),
    })),
  };
}

function isStranger({ code }: ZodError['issues'][number]): boolean {
  return code === 'unrecognized_keys';
}
