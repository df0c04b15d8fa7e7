// The one digest of the ledger, passed in so that the domain stays free of platform code.

/** SHA-256 of the text's UTF-8 bytes as base64url: 43 characters, no padding. */
export type Sha256 = (text: string) => string;
