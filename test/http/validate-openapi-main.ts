// Holds an OpenAPI document on standard input against the rules of OpenAPI: a process of its own, because
// the validator is an ES module, which Jest does not load.
import { text } from 'node:stream/consumers';
import { Validator } from '@seriousme/openapi-schema-validator';

const given = JSON.parse(await text(process.stdin)) as object;
console.log(JSON.stringify(await new Validator().validate({ ...given })));
