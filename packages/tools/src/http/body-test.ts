// Tests on a JSON body, as declared: every pointer must hold its value. A test whose template has no
// value never holds: a missing reference must not match a missing reference.
import { canonicalJson, isJsonObject, type JsonValue } from '@action-ledger/domain';
import { type BodyTest } from './http-definition.ts';
import { atPointer, checkPointers } from './json-pointer.ts';
import { compileTemplate, type Values } from './template.ts';

export interface CompiledBodyTest {
  readonly names: readonly string[];
  readonly holds: (body: JsonValue | undefined, values: Values) => boolean;
}

/** @throws Error that says what is wrong with the test */
export function compileBodyTest(test: BodyTest): CompiledBodyTest {
  const checks = Object.entries(test).map(([pointer, expected]) => compileCheck(pointer, expected));
  if (checks.length === 0) throw new Error('a body test tests nothing');
  return {
    names: checks.flatMap(({ names }) => names),
    holds: (body, values) =>
      body !== undefined && checks.every((check) => check.holds(body, values)),
  };
}

function compileCheck(pointer: string, expected: JsonValue): CompiledBodyTest {
  checkPointers([pointer]);
  const isPresent = isJsonObject(expected) ? expected['$present'] : undefined;
  if (typeof isPresent === 'boolean')
    return { names: [], holds: (body) => (atPointer(body, pointer) !== undefined) === isPresent };
  const template = compileTemplate(expected);
  return {
    names: template.names,
    holds: (body, values) => {
      const [found, wanted] = [atPointer(body, pointer), template.fill(values)];
      return (
        found !== undefined &&
        wanted !== undefined &&
        canonicalJson(found) === canonicalJson(wanted)
      );
    },
  };
}
