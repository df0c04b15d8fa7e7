// Requests that only wait for work. A program with tools always has one open, so they have places of their own,
// for each tenant and each of its keys: however many programs are idle, they take no room from requests.
import { type Principal } from '@action-ledger/access';
import { type Limits } from './limits.ts';
import { createUnderWay, createUnderWayOfTenants, type UnderWay } from './under-way.ts';

export interface WaitingPolls extends Pick<UnderWay, 'count' | 'none'> {
  /** @returns to be called when it is over; undefined where no place is free */
  enter(principal: Pick<Principal, 'tenant' | 'name'>): (() => void) | undefined;
}

export function createWaitingPolls(
  limits: Pick<Limits, 'pollsMax' | 'tenantPollsMax' | 'keyPollsMax'>,
): WaitingPolls {
  const all = createUnderWay();
  const ofTenant = createUnderWayOfTenants();
  const ofKey = createUnderWayOfTenants();
  return {
    enter: ({ tenant, name }) => {
      const key = JSON.stringify([tenant, name]);
      const isFull =
        all.count() >= limits.pollsMax ||
        ofTenant.count(tenant) >= limits.tenantPollsMax ||
        ofKey.count(key) >= limits.keyPollsMax;
      if (isFull) return undefined;
      const leaves = [all.enter(), ofTenant.enter(tenant), ofKey.enter(key)];
      return () => {
        for (const leave of leaves) leave();
      };
    },
    count: () => all.count(),
    none: () => all.none(),
  };
}
