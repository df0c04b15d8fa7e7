// What became of one attempt, as the ledger records it (DESIGN.md section 5). Nothing that is not
// proven counts as "no effect".

export type AttemptOutcome =
  | { readonly kind: 'succeeded'; readonly result: unknown; readonly externalId?: string }
  | {
      /** The provider said no, and nothing happened. */
      readonly kind: 'no effect';
      readonly reason: string;
      readonly code?: string;
      readonly retryable: boolean;
      readonly retryAfterMs?: number;
      readonly detail?: unknown;
      /** Nor did any other request with our key, as the provider says. */
      readonly neverHadEffect?: true;
    }
  | {
      /** It may have happened. `answered`: the request is not under way any more. */
      readonly kind: 'in doubt';
      readonly reason: string;
      readonly answered: boolean;
      readonly retryAfterMs?: number;
    }
  | {
      /** Nothing left this process. */
      readonly kind: 'not sent';
      readonly reason: string;
    };
