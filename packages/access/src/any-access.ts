// Several ways in, asked in order: the first that knows the caller decides. With one that asks for no
// proof among them, all of it is open.
import { type Access } from './principal.ts';

export function anyAccess(ways: readonly Access[]): Access {
  return {
    ...(ways.some(({ isOpen }) => isOpen === true) ? { isOpen: true as const } : {}),
    authenticate: async (credentials) => {
      for (const way of ways) {
        const found = await way.authenticate(credentials);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    whenRevoked: (principal, act) => {
      const ends = ways.map((way) => way.whenRevoked?.(principal, act));
      return () => {
        for (const end of ends) end?.();
      };
    },
  };
}
