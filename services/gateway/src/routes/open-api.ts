// GET /openapi.json: this document.
import { z } from 'zod';
import { object } from '../forms/json.ts';
import { route, type RouteShape } from '../route.ts';

export const openApi = route({
  name: 'openApi',
  method: 'GET',
  path: '/openapi.json',
  tag: 'gateway',
  summary: 'This document',
  answers: { 200: { description: 'OpenAPI 3.1.', schema: object } },
  handle: async ({ document }) => ({ status: 200, body: document }),
});

/** The page is served by its own library; here it is only described. */
export const docsPage: RouteShape = {
  name: 'docs',
  method: 'GET',
  path: '/docs',
  tag: 'gateway',
  summary: 'A page to read this document by; it needs no network',
  answers: { 200: { description: 'A page.', mediaType: 'text/html', schema: z.string() } },
};
