// What keeps a process from starting, told so that the reader knows what to do: what is wrong, and the fix.

export class SetupFault extends Error {
  readonly code: string;
  readonly fix: string;

  constructor(
    code: string,
    message: string,
    options: { readonly fix: string; readonly cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.name = 'SetupFault';
    this.code = code;
    this.fix = options.fix;
  }
}
