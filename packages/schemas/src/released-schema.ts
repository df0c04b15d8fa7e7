// A schema that was released: its file is never edited again, its id is used by records that are kept for good.

export interface ReleasedSchema {
  /** In our own registry. */
  readonly id: number;
  /** Such as `action.events-value`: the topic, and that it is of its values. */
  readonly subject: string;
  /** From 1, without gaps. */
  readonly version: number;
  /** JSON text. */
  readonly schema: string;
}

/** As registries call it: what was written by any version can be read by any other. */
export const compatibilityLevel = 'FULL_TRANSITIVE';
