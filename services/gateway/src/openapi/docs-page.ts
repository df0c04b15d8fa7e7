// GET /docs: a page to read the document by, and to try it. Everything of it comes from here: it needs no
// network, and the browser is told to load nothing from elsewhere.
// The library has no types of this file, and an ambient module cannot be imported.
// eslint-disable-next-line @typescript-eslint/triple-slash-reference
/// <reference path="./swagger-ui-dist.d.ts" />
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FastifyInstance, type FastifyReply } from 'fastify';
import swaggerUiFolder from 'swagger-ui-dist/absolute-path.js';
import { problem, Refused } from '../answers/http-answer.ts';
import { type DocsFile, isDocsFile } from './docs-files.ts';

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Action ledger: HTTP API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript. <a href="/openapi.json">The document</a> does not.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const start = `SwaggerUIBundle({
  url: '/openapi.json', dom_id: '#page', deepLinking: true, validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis], layout: 'BaseLayout',
});
`;

const html = 'text/html; charset=utf-8';
const css = 'text/css; charset=utf-8';
const script = 'text/javascript; charset=utf-8';

export function addDocsPage(app: FastifyInstance): void {
  app.get('/docs', (_request, reply) => give(reply, html, page));
  app.get('/docs/:file', async (request, reply) => {
    const { file } = request.params as { readonly file?: unknown };
    if (!isDocsFile(file)) throw new Refused(problem('route.unknown'));
    return give(reply, typeOf(file), await contentOf(file));
  });
}

function typeOf(file: DocsFile): string {
  return file.endsWith('.css') ? css : script;
}

async function contentOf(file: DocsFile): Promise<string | Buffer> {
  return file === 'start.js' ? start : readFile(join(swaggerUiFolder(), file));
}

function give(reply: FastifyReply, type: string, content: string | Buffer): FastifyReply {
  return reply
    .type(type)
    .header(
      'content-security-policy',
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', 'no-cache')
    .send(content);
}
