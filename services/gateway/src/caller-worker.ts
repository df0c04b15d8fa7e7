// Whose claim it is: the name of the credentials stands before what the program calls itself, so that
// nobody reports in another's place. Both may hold any character, so nothing is joined by one.
import { type Principal } from '@action-ledger/access';

export function workerOf({ name }: Pick<Principal, 'name'>, worker: string): string {
  return JSON.stringify([name, worker]);
}
