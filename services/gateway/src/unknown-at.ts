// A part of an address that nothing can have: it is answered as one that does not exist, because it does not.
import { type ProblemCode } from './answers/problems.ts';

/** @param part the name of the parameter, as in the path of the route */
export function unknownAt(path: string, part: PropertyKey | undefined): ProblemCode {
  if (part === 'key') return 'access.key-unknown';
  if (part === 'incident') return 'action.incident-unknown';
  if (path.startsWith('/v1/workflows/')) return 'workflow.unknown';
  return path.startsWith('/v1/actions/') ? 'action.unknown' : 'route.unknown';
}
