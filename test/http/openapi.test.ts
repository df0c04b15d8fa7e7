// The OpenAPI document: valid by its own rules, complete, and with examples that fit.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { permissions, routes } from '@action-ledger/gateway';
import { ajv, document, pointerRef } from './answers-fit.ts';

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', () => {
    expect(validated(document)).toEqual({ valid: true });
    expect(document.openapi).toBe('3.1.0');
  });

  it('is refused by the same check where it is not', () => {
    expect(validated({ ...document, info: {} })).toMatchObject({ valid: false });
  });

  it('shows examples that fit their schemas', () => {
    const shown = examples();
    expect(shown.length).toBeGreaterThan(15);
    for (const { ref, example } of shown) {
      const validate = ajv.getSchema(ref);
      expect([ref, validate?.(example), validate?.errors]).toEqual([ref, true, null]);
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
  readonly ref: string;
  readonly example: unknown;
}

/** Of bodies and of answers, wherever the document shows one. */
function examples(): readonly Shown[] {
  const found: Shown[] = [];
  const look = (value: unknown, path: readonly string[]): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('schema' in value && 'example' in value)
      found.push({ ref: pointerRef([...path, 'schema']), example: value.example });
    for (const [name, member] of Object.entries(value)) look(member, [...path, name]);
  };
  look(document.paths, ['paths']);
  return found;
}
