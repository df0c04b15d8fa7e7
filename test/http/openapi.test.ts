// The OpenAPI document: valid by its own rules, complete, and with examples that fit.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { permissions, routes } from '@action-ledger/gateway';
import { ajv, document, placeOf, validatorAt } from './answers-fit.ts';

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', () => {
    expect(validated(document)).toEqual({ valid: true });
    expect(document.openapi).toBe('3.1.0');
  });

  it('is refused by the same check where it is not', () => {
    expect(validated({ ...document, info: {} })).toMatchObject({ valid: false });
  });

  it('holds nothing but schemas of JSON Schema 2020-12', () => {
    const schemas = schemaPlaces();
    expect(schemas.length).toBeGreaterThan(400);
    for (const { steps, value } of schemas)
      expect([steps, ajv.validateSchema(value as object)]).toEqual([steps, true]);
  });

  it('shows examples that fit their schemas', () => {
    const shown = examples();
    expect(shown.length).toBeGreaterThan(15);
    for (const { steps, example } of shown) {
      const validate = validatorAt(steps);
      expect([steps, validate?.(example), validate?.errors]).toEqual([steps, true, null]);
    }
  });

  it('tells who may ask, and every status of every operation', () => {
    for (const { method, path, name } of routes) {
      const operation = document.paths?.[path]?.[method === 'GET' ? 'get' : 'post'];
      const isOpen = (permissions[name] as unknown) === 'open';
      expect([name, operation?.security]).toEqual([name, isOpen ? [] : undefined]);
      const statuses = Object.keys(operation?.responses ?? {});
      for (const status of isOpen ? ['200'] : ['400', '401', '403', '429', '503'])
        expect([name, statuses]).toEqual([name, expect.arrayContaining([status])]);
    }
  });

  it('has every route by its name, and every name a route', () => {
    const operations = Object.values(document.paths ?? {}).flatMap((path) =>
      [path.get, path.post].flatMap((operation) => operation?.operationId ?? []),
    );
    expect(operations.sort()).toEqual(Object.keys(permissions).sort());
  });
});

function validated(given: object): unknown {
  const said = execFileSync(
    process.execPath,
    ['--experimental-strip-types', join(process.cwd(), 'test/http/validate-openapi-main.ts')],
    { input: JSON.stringify(given), encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] },
  );
  return JSON.parse(said);
}

interface Shown {
  readonly steps: readonly string[];
  readonly example: unknown;
}

/** Of bodies, answers, parameters and headers. */
function schemaPlaces(): readonly ReturnType<typeof placeOf>[] {
  const found: ReturnType<typeof placeOf>[] = [];
  const look = (value: unknown, path: readonly string[]): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('schema' in value) found.push(placeOf([...path, 'schema']));
    for (const [name, member] of Object.entries(value))
      if (name !== 'schema') look(member, [...path, name]);
  };
  look(document.paths, ['paths']);
  look(document.components, ['components']);
  for (const name of Object.keys(document.components?.schemas ?? {}))
    found.push(placeOf(['components', 'schemas', name]));
  return found;
}

/** Of bodies and of answers, wherever the document shows one. */
function examples(): readonly Shown[] {
  const found: Shown[] = [];
  const look = (value: unknown, path: readonly string[]): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('schema' in value && 'example' in value)
      found.push({ steps: [...path, 'schema'], example: value.example });
    for (const [name, member] of Object.entries(value)) look(member, [...path, name]);
  };
  look(document.paths, ['paths']);
  return found;
}
