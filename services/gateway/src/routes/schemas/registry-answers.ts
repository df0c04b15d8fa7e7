// What a schema registry says, as Confluent's does: https://docs.confluent.io/platform/current/schema-registry/develop/api.html
import { z } from 'zod';
import { type HttpAnswer } from '../../answers/http-answer.ts';
import { registryDoc, registryErrorForm, registryMediaType } from '../../forms/schema-forms.ts';

export function registryAnswer(body: object): HttpAnswer {
  return { status: 200, body, mediaType: registryMediaType };
}

function no(status: 404 | 422, code: number, message: string): HttpAnswer {
  const told = { error_code: code, message: message.toWellFormed() };
  return { status, body: told, mediaType: registryMediaType };
}

export const noSubject = (subject: string): HttpAnswer =>
  no(404, 40_401, `Subject '${subject}' not found.`);

export const noVersion = (version: number): HttpAnswer =>
  no(404, 40_402, `Version ${version} not found.`);

export const noSchema = (id: string): HttpAnswer => no(404, 40_403, `Schema ${id} not found`);

export const invalidVersion = (version: string): HttpAnswer =>
  no(
    422,
    42_202,
    `The specified version '${version}' is not a valid version id. Allowed values are between [1, 2^31-1] and the string "latest"`,
  );

export const notFound = (code: number, message: string) =>
  registryDoc('There is none.', registryErrorForm, { error_code: code, message });

/** Those of other registries (`deleted`, `fetchMaxId`, `subject`) change nothing here. */
export const anyQuery = z.looseObject({});
