// The forms that members of a declaration have, and the check of a declaration against a table of them:
// every member is known and of the right kind. What members mean together is checked by who reads them.
import { type Fail, type ToolDeclarationCode } from './tool-declaration-error.ts';

export interface Form {
  readonly fits: (value: unknown) => boolean;
  /** What it must be, told to the author. */
  readonly wanted: string;
  /** Of each element, or of the members of an object. */
  readonly within?: Form | Forms;
}

/** By the name of the member. */
export type Forms = Readonly<Record<string, Form>>;

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Object.prototype.toString.call(value) === '[object Object]';
export const isText = (value: unknown): boolean => typeof value === 'string';
export const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

export const text: Form = { fits: isText, wanted: 'a text' };
export const number: Form = { fits: (value) => typeof value === 'number', wanted: 'a number' };
export const flag: Form = { fits: (value) => typeof value === 'boolean', wanted: 'true or false' };
export const callable: Form = {
  fits: (value) => typeof value === 'function',
  wanted: 'a function',
};

export function record(wanted: string, within?: Form | Forms): Form {
  return { fits: isRecord, wanted, ...(within === undefined ? {} : { within }) };
}

export function listOf(wanted: string, within: Form): Form {
  return { fits: Array.isArray, wanted, within };
}

export interface Checked {
  readonly fail: Fail;
  /** Of what is wrong at a path. */
  readonly codeOf: (path: string) => ToolDeclarationCode;
  /** Whose members they are, told of one that is unknown. */
  readonly owner: string;
}

/** @throws ToolDeclarationError naming the member and what it must be */
export function checkForms(
  given: Readonly<Record<string, unknown>>,
  known: Forms,
  checked: Checked,
  within = '',
): void {
  const owner = within === '' ? checked.owner : within;
  for (const [name, value] of Object.entries(given)) {
    const form = Object.hasOwn(known, name) ? known[name] : undefined;
    if (form === undefined)
      checked.fail('tool.member', `"${name}" is no member of ${owner}; is it misspelt?`);
    else if (value !== undefined)
      check(value, form, within === '' ? name : `${within}.${name}`, checked);
  }
}

function check(value: unknown, form: Form, path: string, checked: Checked): void {
  const { fits, wanted, within } = form;
  if (!fits(value)) checked.fail(checked.codeOf(path), `\`${path}\` must be ${wanted}.`);
  if (within === undefined) return;
  if (!isForm(within)) {
    if (isRecord(value)) checkForms(value, within, checked, path);
    return;
  }
  for (const [name, each] of Object.entries(value as object)) {
    check(each, within, Array.isArray(value) ? `${path}[${name}]` : `${path}["${name}"]`, checked);
  }
}

function isForm(within: Form | Forms): within is Form {
  return typeof within['fits'] === 'function';
}
