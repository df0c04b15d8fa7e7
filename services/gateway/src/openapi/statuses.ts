// What each status means, and which of them a route can answer with beside its own.
import { permissions } from '../permissions.ts';
import { type Described } from '../route.ts';

export const statusTexts: Readonly<Record<number, string>> = {
  200: 'A repeat, a command that was carried out, or what was asked for',
  201: 'Settled by this request',
  202: 'Not finished, or not kept',
  400: 'Malformed, or no identity; nothing was recorded',
  401: 'No valid key or token',
  403: 'Your roles do not allow it, or the action was denied or rejected',
  404: 'No such action, tool or address here',
  405: 'This address has other methods',
  408: 'The request took too long to arrive',
  409: 'It does not fit the state of the action',
  412: 'The action has moved on since the revision that was seen',
  413: 'Too large',
  415: 'The body is not JSON in UTF-8',
  422: 'The key was used with other arguments',
  429: 'Paused, or over a limit; nothing was recorded',
  431: 'The headers are too large',
  500: 'A bug of the gateway',
  503: 'Nothing was recorded by this request',
};

/** What the server says before a route is looked at: no HTTP, too slow, too large, a bug. */
const ofServer = [400, 408, 431, 500];
const ofDoor = [401, 403, 429, 503];
const ofBody = [413, 415];

/** In rising order. */
export function problemsOf(spec: Described): readonly number[] {
  const own = spec.problems ?? [];
  const body = spec.body === undefined ? [] : ofBody;
  const door = permissions[spec.name] === 'open' ? [] : ofDoor;
  return [...new Set([...own, ...body, ...ofServer, ...door])].sort((a, b) => a - b);
}
