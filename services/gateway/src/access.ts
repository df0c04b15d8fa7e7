// Who is asking: a port. What proves it (keys, tokens) is an adapter's; the gateway asks it once per
// request, before the body is read.
export const roles = ['proposer', 'worker', 'approver', 'operator', 'auditor'] as const;

export type Role = (typeof roles)[number];

export interface Principal {
  /** Stands in events as the one who proposed, voted, settled. */
  readonly name: string;
  /** The only tenant that this principal can reach or learn of. */
  readonly tenant: string;
  readonly roles: ReadonlySet<Role>;
}

/** As they were sent; at most one of each. */
export interface Credentials {
  /** The whole `Authorization` header. */
  readonly authorization?: string;
  /** The `X-Api-Key` header. */
  readonly apiKey?: string;
}

export interface Access {
  /**
   * @returns undefined where they prove nothing
   * @throws where it cannot be known now: the request is answered with 503
   */
  authenticate(credentials: Credentials): Promise<Principal | undefined>;
}
