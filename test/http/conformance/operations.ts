// The operations of the OpenAPI document, as requests are generated from them. Nothing else of the routes is
// read, so that a new one is covered as soon as it is described.
import { document, placeOf } from '../answers-fit.ts';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
  /** Where its schema stands. */
  readonly at: readonly string[];
}

export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly isOpen: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly schema: Schema; readonly at: readonly string[] } | undefined;
  readonly statuses: readonly number[];
}

interface Described {
  readonly operationId: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Omit<Parameter, 'at'>[];
  readonly requestBody?: object;
  readonly responses: object;
}

export const operations: readonly Operation[] = Object.entries(document.paths ?? {}).flatMap(
  ([path, methods]) =>
    Object.entries(methods as Readonly<Record<string, Described>>).map(([method, described]) =>
      operationOf(path, method, described),
    ),
);

function operationOf(path: string, method: string, described: Described): Operation {
  const at = ['paths', path, method];
  const body = [...at, 'requestBody', 'content', 'application/json', 'schema'];
  return {
    id: described.operationId,
    method: method.toUpperCase() as Operation['method'],
    path,
    isOpen: described.security?.length === 0,
    parameters: (described.parameters ?? []).map((each, place) => ({
      ...each,
      at: [...at, 'parameters', String(place), 'schema'],
    })),
    body:
      described.requestBody === undefined
        ? undefined
        : { schema: placeOf(body).value as Schema, at: body },
    statuses: Object.keys(described.responses).map(Number),
  };
}

export function resolved(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  return placeOf(schema.$ref.split('/').slice(1)).value as Schema;
}
