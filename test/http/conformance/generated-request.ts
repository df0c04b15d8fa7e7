// One request to an operation, drawn from what the document says of it: mostly sound, sometimes by somebody who
// may not, about what is not there, or broken in one of many ways. And what the document says of it.
import { roles } from '@action-ledger/access';
import { validatorAt } from '../answers-fit.ts';
import { type Ask } from '../world.ts';
import { type Draw } from './draw.ts';
import { type Operation, type Parameter } from './operations.ts';
import { all, ann, foreign, type Known, undo } from './states.ts';
import { type Hint, valueOf } from './value-of-schema.ts';

export interface Generated {
  readonly ask: Ask;
  /** By the document alone; undefined where it does not decide: of a text, or of what it does not name. */
  readonly fits: boolean | undefined;
}

export function generated(operation: Operation, known: Known, draw: Draw): Generated {
  const id = idFor(operation, known, draw);
  const hint = hintsOf(known, id, draw);
  const { url, headers, fits } = headOf(operation, id, hint, draw);
  const as = draw.chance(0.75) ? draw.one([all, all, ann]) : draw.one(others);
  const common = { method: operation.method, url, as };
  if (operation.body === undefined)
    return { ask: { ...common, headers: { ...headers, ...oddHeaders(draw) } }, fits };
  const sent = bodyOf(operation, draw, hint);
  return {
    ask: { ...common, body: sent.body, headers: { ...headers, ...sent.headers } },
    fits: fits === true ? sent.fits : fits,
  };
}

interface Head {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fits: boolean | undefined;
}

function headOf({ path, parameters }: Operation, id: string, hint: Hint, draw: Draw): Head {
  const inPath = new Map<string, string>();
  const query = new URLSearchParams();
  const headers: Record<string, string> = { prefer: draw.one(['wait=1', 'wait=1', 'wait=0']) };
  let fits: boolean | undefined = true;
  for (const parameter of parameters) {
    const value = parameterOf(parameter, draw, parameter.name === 'id' ? () => [id] : hint);
    if (value === undefined) continue;
    fits &&= fitsParameter(parameter, value);
    if (parameter.in === 'path') inPath.set(parameter.name, value);
    if (parameter.in === 'query') query.set(parameter.name, value);
    if (parameter.in === 'header') headers[parameter.name.toLowerCase()] = asHeader(value);
  }
  if (draw.chance(0.03)) {
    query.set(draw.one(['x', 'limit', '__proto__', 'a b']), '1');
    fits = undefined;
  }
  const asked = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(inPath.get(name) ?? ''),
  );
  return { url: query.size === 0 ? asked : `${asked}?${query.toString()}`, headers, fits };
}

const others: readonly (string | null)[] = [
  foreign,
  'acme:owner',
  ...roles.map((role) => `acme:${role}`),
  'acme:',
  'nobody',
  '',
  null,
];

function idFor({ path }: Operation, { actions, workflows }: Known, draw: Draw): string {
  if (draw.chance(0.06))
    return draw.one([`${'A'.repeat(43)}.0`, 'no id', '../x', 'é', 'x'.repeat(450)]);
  if (path.startsWith('/v1/workflows'))
    return draw.one([...workflows.map(({ id }) => id), 'w-0', 'w-1', 'w-2', 'w-9']);
  return actions.length === 0 ? 'none' : draw.one(actions).id;
}

const args = ['1', '2', '3', 'a', 'b', 'g'].flatMap((invoice) => [
  { invoice, cents: 500 },
  { invoice, cents: 5_000 },
  { invoice, cents: 50 },
]);

function hintsOf({ actions, workflows, keys }: Known, id: string, draw: Draw): Hint {
  const action = actions.find((each) => each.id === id);
  const workflow = workflows.find((each) => each.id === id || each.id.startsWith(id));
  const revision = (action ?? workflow)?.revision ?? 0;
  const hints: Readonly<Record<string, readonly unknown[]>> = {
    tool: ['pay', 'pay', 'approved', 'approved', 'capped', 'sometimes', 'balance', 'secret', 'no'],
    arguments: [...args, { account: 'mine' }, { account: 'gone' }, { invoice: 's', pin: '1' }, {}],
    run: ['run-1', 'run-2'],
    call: ['c-1', 'c-2', 'c-3'],
    key: [...keys, 'k-1', 'k-2', 'k'.repeat(300)],
    id: ['w-0', 'w-1', 'w-4', 'w-5'],
    argumentsHash: [action?.argumentsHash ?? 'x', action?.argumentsHash ?? 'x', 'wrong'],
    revisionSeen: [revision, revision, revision, 77],
    'If-Match': [`"${revision}"`, `"${revision}"`, '"77"', 'oops', 'W/"1"'],
    action: actions.map((each) => each.id),
    downstreamKey: [action?.downstreamKey ?? 'x', 'y'],
    externalId: ['tx-1', 'tx-9'],
    attempt: [1, 1, 2],
    incident: [...(action?.incidents ?? []).map((each) => each.incident), 'late-success-4'],
    tenant: ['acme', 'acme', 'umbrella'],
    step: ['s-1', 's-2', 's-3'],
    from: ['s-1', 's-2', 's-9'],
    compensate: ['not needed', 'impossible', undo, { tool: 'no', arguments: {} }],
    'Idempotency-Key': ['k-1', 'k-2', 'k\u00e9'],
    'Last-Event-ID': ['0', '7', 'x'],
    cursor: ['x', 'W10'],
    file: ['start.js', 'start.js', 'no.js'],
    schema: ['1', '2', '77', 'x'],
    subject: ['action.events-value', 'action.state-value', 'none'],
    version: ['1', 'latest', '-1', '9', '0', 'x'],
    expiresAt: [1, 4_000_000_000_000],
    onFailedCompensation: ['stop', 'go on'],
  };
  // What is asked of a list by `from` is a number.
  return (name) =>
    name === 'from' && action !== undefined && draw.chance(1) ? [0, 2] : hints[name];
}

function parameterOf(parameter: Parameter, draw: Draw, hint: Hint): string | undefined {
  if (parameter.required !== true && !draw.chance(parameter.name === 'If-Match' ? 0.5 : 0.25))
    return undefined;
  if (parameter.in === 'query' && draw.chance(0.08))
    return draw.one(['', '-1', '01', '1e3', 'x', '0']);
  return String(valueOf(parameter.schema, draw, hint, parameter.name));
}

/** In a request everything is text: it is what it stands for that must fit. */
function fitsParameter({ at, schema }: Parameter, text: string): boolean {
  const isNumber = schema.type === 'integer' && /^(0|-?[1-9]\d*)$/.test(text);
  const isFlag = schema.type === 'boolean' && /^(true|false)$/.test(text);
  const value: unknown = isNumber ? Number(text) : isFlag ? text === 'true' : text;
  return validatorAt(at)?.(value) === true;
}

/** What no header can hold is left out. */
function asHeader(text: string): string {
  return text.replaceAll(/[^\x20-\xff]/g, '');
}

function oddHeaders(draw: Draw): Readonly<Record<string, string>> {
  if (!draw.chance(0.05)) return {};
  return draw.one([
    { accept: 'text/html' },
    { 'if-match': '*' },
    { prefer: 'respond-async, wait=99999999999' },
    { traceparent: 'zz' },
    { 'content-type': 'text/plain' },
    { authorization: 'Basic eDp5' },
    { 'accept-encoding': 'gzip, br' },
    { 'if-none-match': '*' },
    { range: 'bytes=0-1' },
  ]);
}

interface Sent {
  readonly body: object | string | Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly fits: boolean | undefined;
}

function bodyOf({ body }: Operation, draw: Draw, hint: Hint): Sent {
  const { schema, at } = body ?? { schema: {}, at: [] };
  const sound = valueOf(schema, draw, hint) as Readonly<Record<string, unknown>>;
  if (draw.chance(0.1)) return { body: draw.one(broken), headers: {}, fits: undefined };
  const value = draw.chance(0.15) ? spoilt(sound, draw) : sound;
  const fits = validatorAt(at)?.(value) === true;
  const headers = draw.chance(0.06) ? draw.one(oddTypes) : oddHeaders(draw);
  const isOdd = 'content-type' in headers || 'content-encoding' in headers;
  return { body: value, headers, fits: isOdd ? undefined : fits };
}

function spoilt(sound: Readonly<Record<string, unknown>>, draw: Draw): object {
  const name = draw.one([...Object.keys(sound), 'more']);
  const { [name]: _left, ...rest } = sound;
  if (draw.chance(0.4)) return rest;
  return { ...rest, [name]: draw.one([null, 1.5, '', [], {}, true, -7, 'x'.repeat(5_000)]) };
}

const oddTypes: readonly Readonly<Record<string, string>>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=latin1' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': '' },
  { 'content-encoding': 'gzip' },
];

/** What is no strict JSON, or no object. */
const broken: readonly (string | Buffer)[] = [
  '',
  '{',
  '{"tool":"pay","tool":"pay"}',
  '{"__proto__":{}}',
  '{"tool":"\\ud800"}',
  '{"reason":9007199254740993}',
  '[1,2',
  '[]',
  'null',
  '"text"',
  `${'['.repeat(60)}${']'.repeat(60)}`,
  '{"tool": NaN}',
  '\ufeff{}',
  Buffer.from([0x7b, 0xff, 0x7d]),
  `{"tool":"${'x'.repeat(9_000)}"}`,
];
