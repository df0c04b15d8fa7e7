// The programs in the pages compile, strictly: Node runs them without looking at their types.
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { pagePaths, readPage, root } from './pages.ts';
import { purposeOf } from './run-blocks.ts';

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  customConditions: ['source'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
};

describe('the programs in the pages', () => {
  it('compile', () => {
    const folder = mkdtempSync(join(tmpdir(), 'action-ledger-types-'));
    try {
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
      const files = programs().map(([file, text]) => {
        writeFileSync(join(folder, file), text);
        return join(folder, file);
      });
      expect(files.length).toBeGreaterThan(3);
      const program = ts.createProgram(files, options);
      const problems = files.flatMap((file) =>
        ts.getPreEmitDiagnostics(program, program.getSourceFile(file)),
      );
      expect(problems.map(describeProblem)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 60_000);
});

/** By file name, which is unique among all pages. */
function programs(): readonly (readonly [file: string, text: string])[] {
  const blocks = pagePaths.flatMap((path) => readPage(path).blocks);
  const found = blocks.flatMap((block) => {
    const purpose = purposeOf(block);
    const isProgram = purpose.kind === 'file' && block.language === 'ts';
    return isProgram ? [[purpose.file, block.text] as const] : [];
  });
  expect(new Set(found.map(([file]) => file)).size).toBe(found.length);
  return found;
}

function describeProblem({ file, start, messageText }: ts.Diagnostic): string {
  const text = ts.flattenDiagnosticMessageText(messageText, '\n');
  if (file === undefined || start === undefined) return text;
  const { line } = file.getLineAndCharacterOfPosition(start);
  return `${file.fileName.split('/').at(-1) ?? ''}:${line + 1} ${text}`;
}
