// The options of createLedger, checked before anything is opened. Types say their form, programs in plain
// JavaScript do not: a misspelt `path` would be a ledger that keeps nothing.
import { isTool } from '@action-ledger/tools';
import {
  type AnyTool,
  type CreateLedgerOptions,
  type ObserveScope,
} from './create-ledger-options.ts';
import { LedgerError } from './ledger-error.ts';

type Name = keyof CreateLedgerOptions<Readonly<Record<string, never>>>;
type Check = (value: unknown) => string | undefined;

const callback: Check = (value) => (typeof value === 'function' ? undefined : 'a function');

/** What is wanted in place of a value, or undefined where it fits. */
const checks: Readonly<Record<Name, Check>> = {
  path: (value) =>
    isText(value)
      ? undefined
      : 'the name of the file that holds everything; leave it out for a ledger in memory',
  tools: (value) =>
    typeof value === 'object' && value !== null
      ? undefined
      : 'a list of tools or an object of them: createLedger({ tools: { refund } })',
  tenant: (value) => (isText(value) ? undefined : 'a text that is not blank'),
  onNotice: callback,
  onFault: callback,
  onSideEntries: callback,
  onPoint: callback,
  isPaused: callback,
  pauseOnBurst: (value) =>
    hasWhole(value, 'unknowns') && hasWhole(value, 'withinMs')
      ? undefined
      : '{ unknowns, withinMs }, both whole numbers from 1',
  runtime: (value) =>
    hasMember(value, 'clock', 'object') ? undefined : 'a Runtime, such as createSystemRuntime()',
  store: (value) => (hasMember(value, 'append', 'function') ? undefined : 'an event store'),
  drives: (value) => (typeof value === 'boolean' ? undefined : 'true or false'),
  slotsMax: (value) => (isWhole(value) ? undefined : 'a whole number from 1'),
  watch: (value) =>
    typeof value === 'object' && value !== null ? undefined : '{ onAnswer, onMoved }',
  observe: (value) =>
    typeof value === 'boolean' || isScope(value)
      ? undefined
      : 'true, or { tools, tenants } with lists of names: { tools: ["refund"] }',
  sweepMs: (value) => (isWhole(value) ? undefined : 'a whole number of milliseconds from 1'),
};

/** @throws LedgerError `ledger.options`, naming the option and what it must be */
export function checkOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null)
    throw wrong('createLedger needs options: createLedger({ path, tools }).');
  const given = options as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(checks, name));
  if (unknown !== undefined)
    throw wrong(`"${unknown}" is no option of createLedger; is it misspelt?`);
  // `tools` also where it is not given at all.
  const all: Readonly<Record<string, unknown>> = { ...given, tools: given['tools'] ?? null };
  for (const [name, value] of Object.entries(all)) {
    const wanted = value === undefined ? undefined : checks[name as Name](value);
    if (wanted !== undefined) throw wrong(`\`${name}\` must be ${wanted}.`);
  }
  for (const [name, tool] of Object.entries(given['tools'] as object)) {
    if (isTool(tool)) continue;
    const place = Array.isArray(given['tools']) ? `tools[${name}]` : `tools.${name}`;
    throw wrong(`\`${place}\` is no tool; give what defineTool or httpTool has made.`);
  }
  checkObserved(given['observe'], Object.values(given['tools'] as readonly AnyTool[]));
}

/** A misspelt name would be a tool that is held back after all. */
function checkObserved(observe: unknown, tools: readonly AnyTool[]): void {
  if (typeof observe !== 'object') return;
  const { tools: named = [] } = observe as ObserveScope;
  const unknown = named.find((name) => tools.every((tool) => tool.name !== name));
  if (unknown !== undefined)
    throw wrong(
      `\`observe\` names the tool "${unknown}", which is not among the tools; what callers declare is observed by tenant.`,
    );
}

function isScope(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const members = Object.entries(value);
  const isList = (list: unknown): boolean => Array.isArray(list) && list.every(isText);
  return members.every(
    ([name, list]) =>
      (name === 'tools' || name === 'tenants') && (list === undefined || isList(list)),
  );
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function isWhole(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function hasWhole(value: unknown, name: string): boolean {
  return (
    hasMember(value, name, 'number') && isWhole((value as Readonly<Record<string, unknown>>)[name])
  );
}

function hasMember(value: unknown, name: string, type: string): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Readonly<Record<string, unknown>>)[name] === type
  );
}

function wrong(message: string): LedgerError {
  return new LedgerError('ledger.options', message);
}
