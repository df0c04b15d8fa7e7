// JSON values as every part of the ledger passes them on: immutable, finite, free of surprises.
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [member: string]: JsonValue };

export type JsonObject = Readonly<Record<string, JsonValue>>;
