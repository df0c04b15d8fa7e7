// The OpenAPI document: valid by its own rules, complete, and with examples that fit.
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { docsPage, openApiDocument, permissions, routes } from '@action-ledger/gateway';

const document = openApiDocument([...routes, docsPage]);

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', () => {
    expect(validated(document)).toEqual({ valid: true });
    expect(document.openapi).toBe('3.1.0');
  });

  it('has every route by its name, and every name a route', () => {
    const operations = Object.values(document.paths ?? {}).flatMap((path) =>
      [path.get, path.post].flatMap((operation) => operation?.operationId ?? []),
    );
    expect(operations.sort()).toEqual(Object.keys(permissions).sort());
  });
});

/** In a process of its own: the validator is an ES module, which Jest does not load. */
function validated(given: object): unknown {
  const program = `
    import { Validator } from '@seriousme/openapi-schema-validator';
    import { text } from 'node:stream/consumers';
    const given = JSON.parse(await text(process.stdin));
    console.log(JSON.stringify(await new Validator().validate(given)));`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    input: JSON.stringify(given),
    encoding: 'utf8',
  });
  return JSON.parse(said);
}
