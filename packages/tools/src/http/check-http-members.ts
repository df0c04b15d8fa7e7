// The form of what an HTTP tool declares beside a tool's own members, which are checked with those.
import { type JsonObject } from '@action-ledger/domain';
import {
  callable,
  checkForms,
  flag,
  type Form,
  isRecord,
  isText,
  listOf,
  number,
  record,
  text,
} from '../forms.ts';
import { type Fail, type ToolDeclarationCode } from '../tool-declaration-error.ts';
import {
  type AnswerRule,
  type AnswerRules,
  type HttpLookup,
  type HttpRequestTemplate,
  type HttpToolDefinition,
} from './http-definition.ts';

type FormsOf<Declared> = Readonly<Record<keyof Declared, Form>>;

const pointer: Form = { fits: isText, wanted: 'a JSON pointer, such as "/id"' };
const status: Form = {
  fits: (value) =>
    [value].flat().every((each) => typeof each === 'string' || typeof each === 'number'),
  wanted: 'a status such as 404, "4xx", or a list of these',
};
const bodyTest = record('an object of JSON pointers and values, such as { "/ok": true }');
const method: Form = { fits: isText, wanted: 'a method, such as "POST"' };

const template: FormsOf<Omit<HttpRequestTemplate, 'method'>> = {
  url: { fits: isText, wanted: 'a text, such as "https://api.example.com/refunds"' },
  query: record('an object of texts', text),
  headers: record('an object of texts, or of functions that give a secret', {
    fits: (value) => isText(value) || callable.fits(value),
    wanted: 'a text, or a function that gives a secret',
  }),
  body: {
    fits: (value) => isText(value) || isRecord(value),
    wanted: '"arguments", "none" or an object',
  },
  encoding: text,
};

const rule: FormsOf<AnswerRule> = {
  status,
  body: bodyTest,
  outcome: text,
  reason: pointer,
  code: pointer,
  externalId: pointer,
};

const answers: FormsOf<AnswerRules> = {
  rules: listOf('a list of rules', record('an object, such as { status: 404, outcome }', rule)),
  success: record('an object, such as { externalId: "/id" }', {
    status,
    body: bodyTest,
    externalId: pointer,
    result: pointer,
  }),
  format: text,
};

const lookup: FormsOf<HttpLookup> = {
  ...template,
  method,
  found: record('an object, such as { match: { "/reference": "{$key}" } }', {
    status,
    items: pointer,
    match: bodyTest,
    externalId: pointer,
    result: pointer,
  }),
  absent: record('an object, such as { status: 404 }', {
    status,
    body: bodyTest,
    complete: {
      fits: (value) => value === true || isRecord(value),
      wanted: 'true, or an object of JSON pointers and values',
    },
  }),
};

const members = {
  request: record('an object: { method, url }', { ...template, method }),
  keyPlace: {
    fits: (value) => value === 'none' || isRecord(value),
    wanted: '"none", or an object such as { in: "header", name: "Idempotency-Key" }',
    within: { in: text, name: text },
  },
  answers: record('an object of rules', answers),
  lookup: record('an object: { method, url }', lookup),
  compensate: record('an object: { tool, arguments }', {
    tool: text,
    arguments: record('an object, a template of the arguments'),
  }),
  allowPrivate: flag,
  responseBytesMax: number,
  socketsMax: number,
} as const satisfies Readonly<Record<string, Form>>;

/** @throws ToolDeclarationError naming the member and what it must be */
export function checkHttpMembers(definition: HttpToolDefinition<JsonObject>, fail: Fail): void {
  if (!isRecord(definition))
    fail('tool.member', 'a declaration is one object: httpTool({ name, input, request, … }).');
  // `request` also where it is not given at all.
  const {
    request = null,
    keyPlace,
    answers,
    lookup,
    compensate,
    ...rest
  } = definition as { readonly [Member in keyof typeof members]?: unknown };
  const { allowPrivate, responseBytesMax, socketsMax } = rest;
  const own = { request, keyPlace, answers, lookup, compensate };
  const limits = { allowPrivate, responseBytesMax, socketsMax };
  checkForms({ ...own, ...limits }, members, { fail, codeOf, owner: "an HTTP tool's declaration" });
}

function codeOf(path: string): ToolDeclarationCode {
  if (path.startsWith('lookup')) return 'tool.lookup';
  return path.startsWith('compensate') ? 'tool.compensate' : 'tool.http';
}
