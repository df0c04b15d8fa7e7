// GET /openapi.json: this document.
import { z } from 'zod';
import { object } from '../forms/json.ts';
import { docsFiles } from '../openapi/docs-files.ts';
import { type HeaderName } from '../openapi/headers.ts';
import { type Described, route } from '../route.ts';

export const openApi = route({
  name: 'openApi',
  method: 'GET',
  path: '/openapi.json',
  tag: 'gateway',
  summary: 'This document',
  answers: { 200: { description: 'OpenAPI 3.1.', schema: object } },
  handle: async ({ document }) => ({ status: 200, body: document }),
});

const ofPage: readonly HeaderName[] = ['Content-Security-Policy', 'X-Content-Type-Options'];

/** Page and files are served as they are (`docs-page.ts`); here they are only described. */
export const docsPage: Described = {
  name: 'docs',
  method: 'GET',
  path: '/docs',
  tag: 'gateway',
  summary: 'A page to read this document by; it needs no network',
  answers: {
    200: {
      description: 'A page.',
      mediaTypes: ['text/html'],
      schema: z.string(),
      headers: ofPage,
    },
  },
};

export const docsFile: Described = {
  name: 'docsFile',
  method: 'GET',
  path: '/docs/{file}',
  tag: 'gateway',
  summary: 'What that page is made of',
  params: z.strictObject({ file: z.enum(docsFiles) }),
  answers: {
    200: {
      description: 'The file.',
      mediaTypes: ['text/css', 'text/javascript'],
      schema: z.string(),
      headers: ofPage,
    },
  },
  problems: [404],
};
