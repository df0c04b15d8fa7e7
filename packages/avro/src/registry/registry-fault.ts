// What a schema registry could not be asked, or would not do.

/** Every code stands in docs/errors.md. */
export const registryFaultCodes = [
  'registry.incompatible',
  'registry.refused',
  'registry.unavailable',
] as const;

export type RegistryFaultCode = (typeof registryFaultCodes)[number];

export class RegistryFault extends Error {
  readonly code: RegistryFaultCode;
  readonly retry: 'safe' | 'never';

  constructor(code: RegistryFaultCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'RegistryFault';
    this.code = code;
    this.retry = code === 'registry.unavailable' ? 'safe' : 'never';
  }
}
