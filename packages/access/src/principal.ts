// Who is asking, and what they may do. The tenant comes from here and from nowhere else.

/** What each may do stands in the gateway's table of routes. */
export const roles = ['proposer', 'worker', 'approver', 'operator', 'auditor'] as const;

export type Role = (typeof roles)[number];

export interface Principal {
  /** As it stands in events: who proposed, voted, settled. */
  readonly name: string;
  /** The only tenant that this principal can reach or learn of. */
  readonly tenant: string;
  readonly roles: ReadonlySet<Role>;
  /**
   * Whoever has the machine of the ledger: reaches what belongs to all tenants, and makes keys. No key and
   * no token gives this.
   */
  readonly isOwner?: true;
  /** Wall-clock ms since the epoch, from when on nobody is let in by these credentials. */
  readonly until?: number;
}

export interface Credentials {
  /** The whole value of the `Authorization` header. */
  readonly authorization?: string | undefined;
  /** The value of the `X-Api-Key` header. */
  readonly apiKey?: string | undefined;
}

export interface Access {
  /** Anybody comes in without proof: on a loopback address only. */
  readonly isOpen?: true;
  /**
   * Asked once per request, before its body is read.
   * @returns undefined where the credentials are missing, unknown, revoked or expired: never why
   * @throws where it cannot be known now: the request is answered with 503
   */
  authenticate(credentials: Credentials): Promise<Principal | undefined>;
  /**
   * For answers that take long: calls `act` once when what let this principal in is revoked, at once where
   * it is already. What runs out by itself says so in `until`.
   * @param principal the very one that `authenticate` gave
   * @returns to be called when the answer is over
   */
  whenRevoked?(principal: Principal, act: () => void): () => void;
}

export function isRole(text: unknown): text is Role {
  return (roles as readonly unknown[]).includes(text);
}

const bearer = /^Bearer +(\S+) *$/i;

/** RFC 6750. @returns undefined where the header has another scheme or none */
export function bearerToken({ authorization }: Credentials): string | undefined {
  return authorization === undefined ? undefined : bearer.exec(authorization)?.[1];
}
