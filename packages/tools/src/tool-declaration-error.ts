// Thrown while tools are declared, before anything runs: the declaration is wrong, the message names
// the fix. Never thrown on a proposal. Every code stands in docs/errors.md.

export const toolDeclarationCodes = [
  'tool.approval',
  'tool.caller',
  'tool.compensate',
  'tool.duplicate-name',
  'tool.fields-overlap',
  'tool.file',
  'tool.guarantee',
  'tool.http',
  'tool.identity',
  'tool.key',
  'tool.key-window',
  'tool.lookup',
  'tool.load',
  'tool.member',
  'tool.name',
  'tool.policy',
  'tool.schema',
  'tool.scope',
  'tool.times',
  'tool.undone-by',
  'tool.unknown-field',
  'tool.unknown-tool',
] as const;

export type ToolDeclarationCode = (typeof toolDeclarationCodes)[number];

export class ToolDeclarationError extends Error {
  readonly code: ToolDeclarationCode;
  /** The name of the tool as declared; it may itself be what is wrong. */
  readonly tool: string;

  constructor(code: ToolDeclarationCode, tool: string, problem: string) {
    super(`Tool "${tool}": ${problem}`);
    this.name = 'ToolDeclarationError';
    this.code = code;
    this.tool = tool;
  }
}

/** Reports what is wrong with one tool. */
export type Fail = (code: ToolDeclarationCode, problem: string) => never;

export function failFor(tool: string): Fail {
  return (code, problem) => {
    throw new ToolDeclarationError(code, tool, problem);
  };
}
