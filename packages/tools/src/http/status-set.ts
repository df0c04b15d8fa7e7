// Sets of HTTP statuses as declarations name them.
import { type Status, type StatusSet } from './http-definition.ts';

export function hasStatus(set: StatusSet, status: number): boolean {
  return statusesOf(set).some((one) =>
    typeof one === 'number' ? one === status : one.charAt(0) === String(status).charAt(0),
  );
}

/** @throws Error that says what is wrong */
export function checkStatus(set: unknown): void {
  const statuses: readonly unknown[] = Array.isArray(set) ? set : [set];
  if (statuses.length === 0 || !statuses.every(isStatus))
    throw new Error(
      `${JSON.stringify(set)} is no set of statuses; write 404, "4xx" or a list of these`,
    );
}

/** Names a server error, of which only the given ones are allowed. */
export function hasServerError(set: StatusSet, allowed: readonly number[]): boolean {
  return statusesOf(set).some((one) =>
    typeof one === 'number' ? one >= 500 && !allowed.includes(one) : one === '5xx',
  );
}

function statusesOf(set: StatusSet): readonly Status[] {
  return Array.isArray(set) ? (set as readonly Status[]) : [set as Status];
}

function isStatus(status: unknown): boolean {
  if (typeof status === 'number') return Number.isInteger(status) && status >= 100 && status <= 599;
  return typeof status === 'string' && /^[1-5]xx$/.test(status);
}
