// The names of the files that the page `/docs` is made of.
export const docsFiles = ['start.js', 'swagger-ui-bundle.js', 'swagger-ui.css'] as const;

export type DocsFile = (typeof docsFiles)[number];

export function isDocsFile(name: unknown): name is DocsFile {
  return (docsFiles as readonly unknown[]).includes(name);
}
