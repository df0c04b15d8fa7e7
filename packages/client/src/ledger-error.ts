// What a program does wrong with a ledger: thrown, never an answer. Every code stands in docs/errors.md.

export const ledgerErrorCodes = ['ledger.closed', 'ledger.not-remote', 'ledger.options'] as const;

export type LedgerErrorCode = (typeof ledgerErrorCodes)[number];

export class LedgerError extends Error {
  readonly code: LedgerErrorCode;

  constructor(code: LedgerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LedgerError';
    this.code = code;
  }
}
