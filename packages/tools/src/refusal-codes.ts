// The codes under which a tool, not the ledger, says no. Every code stands in docs/errors.md.

/** Why a program does not start with this declaration of a tool that is registered already. */
export const registrationRefusalCodes = [
  'tool.identity-changed',
  'tool.identity-version-lowered',
] as const;

export type RegistrationRefusalCode = (typeof registrationRefusalCodes)[number];

/** The arguments do not fit the tool's schema. */
export const argumentsRefusalCode = 'arguments.invalid';

/** Endings of an `httpTool`, beside `http.<status>` for what the provider refused. */
export const httpRefusalCodes = ['http.private-address', 'http.unsendable'] as const;

export type HttpRefusalCode = (typeof httpRefusalCodes)[number];
