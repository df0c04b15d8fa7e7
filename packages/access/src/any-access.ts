// Several ways in, asked in order.
import { type Access, type Principal } from './principal.ts';

export function anyAccess(ways: readonly Access[]): Access {
  return {
    authenticate: async (credentials) => {
      for (const way of ways) {
        const found = await way.authenticate(credentials);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

/** Everyone is this one: for a ledger that only its own machine can reach. */
export function openAccess(principal: Principal): Access {
  return { authenticate: async () => Promise.resolve(principal) };
}
