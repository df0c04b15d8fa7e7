// What the bench and its processes say to each other about ledgers of different sizes.

export const scaleCosts = ['propose', 'list', 'repeat'] as const;
export type ScaleCost = (typeof scaleCosts)[number];

/** Handed to the process of a ledger as its first argument, in JSON. */
export interface ScaleSetting {
  readonly dir: string;
  /** Finished before the process began. */
  readonly actions: number;
  /** It serves, with all services running, while it is filled and measured. */
  readonly services: boolean;
}

export type ScaleMessage =
  | { readonly type: 'fill'; readonly actions: number }
  | { readonly type: 'slice'; readonly cost: ScaleCost; readonly count: number }
  | { readonly type: 'weigh' }
  | { readonly type: 'close' };

export type ScaleReply =
  /** From the call that opens the ledger to the first answer about a new action. */
  | { readonly type: 'ready'; readonly firstAnswerMs: number }
  | { readonly type: 'filled' }
  /** The mean. */
  | { readonly type: 'slice done'; readonly microseconds: number }
  /** Resident memory. */
  | { readonly type: 'weighed'; readonly megabytes: number }
  | { readonly type: 'closed' };

export const audits = ['views', 'chain'] as const;

/** Handed to the process of an audit as its first argument, in JSON. */
export interface AuditSetting {
  readonly dir: string;
  readonly audit: (typeof audits)[number];
}

export interface AuditReply {
  readonly type: 'audited';
  readonly events: number;
  readonly seconds: number;
}
