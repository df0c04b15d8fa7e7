// What goes wrong between a program and a ledger in another process. Thrown, never an answer: it says what
// is known of the request, and that is at most that nothing of it arrived. Every code stands in
// docs/errors.md.
import { type JsonValue } from '@action-ledger/domain';

/** Beside these the codes of problem documents: `access.forbidden`, `request.rate`, `gateway.busy` … */
export const remoteFaultCodes = [
  'remote.no-answer',
  'remote.not-a-ledger',
  'remote.redirected',
  'remote.tls',
  'remote.unreachable',
] as const;

export type RemoteFaultCode = (typeof remoteFaultCodes)[number];

export interface RemoteFaultMore extends ErrorOptions {
  /** Of HTTP, where something was answered. */
  readonly status?: number;
  readonly detail?: Readonly<Record<string, JsonValue>>;
}

export class RemoteFault extends Error {
  readonly code: string;
  /**
   * `safe`: nothing of it was carried out. `unsafe`: it may have been; ask what is on record, or say the
   * very same again. `never`: it would end the same way.
   */
  readonly retry: 'safe' | 'unsafe' | 'never';
  readonly status: number | undefined;
  readonly detail: Readonly<Record<string, JsonValue>>;

  constructor(
    code: string,
    retry: 'safe' | 'unsafe' | 'never',
    message: string,
    more: RemoteFaultMore = {},
  ) {
    const { status, detail = {}, ...options } = more;
    super(message, options);
    this.name = 'RemoteFault';
    this.code = code;
    this.retry = retry;
    this.status = status;
    this.detail = detail;
  }
}
