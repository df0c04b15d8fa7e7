import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { defineTool } from './define-tool.ts';
import { type ToolDefinition } from './definition.ts';
import { type Tool } from './tool.ts';
import { createToolSet } from './tool-set.ts';

function tool(name: string, more: object = {}): Tool {
  return defineTool({
    name,
    input: z.object({ id: z.string(), pin: z.string().optional() }),
    guarantee: 'manual',
    execute: () => null,
    ...more,
  } as unknown as ToolDefinition);
}

const undone = (by: string, match: object): object => ({ undoneBy: [{ tool: by, match }] });

describe('a tool set', () => {
  const match = { 'arguments.id': 'outcome.booking.id' };
  const book = tool('book', {
    ...undone('cancel', match),
    compensate: { tool: 'cancel', arguments: () => ({}) },
  });
  const cancel = tool('cancel');
  const set = createToolSet([book, cancel]);

  it('finds tools by name', () => {
    expect(set.get('cancel')).toBe(cancel);
    expect(set.get('toString')).toBeUndefined();
    expect(set.all).toEqual([book, cancel]);
  });

  it('knows what a tool undoes', () => {
    expect(set.undoneByTool('cancel')).toEqual([{ undone: book, match }]);
    expect(set.undoneByTool('book')).toEqual([]);
  });

  it('keeps the outcome field that is matched, without its being declared twice', () => {
    expect(book.keep).toEqual(['outcome.booking.id']);
  });
});

describe('a tool set is refused', () => {
  it.each<[string, string, RegExp, readonly Tool[]]>([
    ['F217 two tools of one name', 'tool.duplicate-name', /rename one/, [tool('a'), tool('a')]],
    [
      'an unknown undoer',
      'tool.unknown-tool',
      /"b", which is not among/,
      [tool('a', undone('b', { 'arguments.id': 'arguments.id' }))],
    ],
    [
      'an undoer that is a read',
      'tool.undone-by',
      /a read undoes nothing/,
      [
        tool('a', undone('b', { 'arguments.id': 'arguments.id' })),
        tool('b', { kind: 'read', guarantee: undefined }),
      ],
    ],
    [
      'a field that the undoer lacks',
      'tool.unknown-field',
      /"arguments.ref", which/,
      [tool('a', undone('b', { 'arguments.ref': 'arguments.id' })), tool('b')],
    ],
    [
      "the undoer's outcome",
      'tool.undone-by',
      /before it has an outcome|settled before/,
      [tool('a', undone('b', { 'outcome.id': 'arguments.id' })), tool('b')],
    ],
    [
      "the undoer's secret",
      'tool.fields-overlap',
      /secret/,
      [tool('a', undone('b', { 'arguments.pin': 'arguments.id' })), tool('b', { secret: ['pin'] })],
    ],
    [
      'an unknown compensating tool',
      'tool.unknown-tool',
      /compensate names "b"/,
      [tool('a', { compensate: { tool: 'b', arguments: () => ({}) } })],
    ],
    [
      'a compensating read',
      'tool.compensate',
      /a read undoes nothing/,
      [
        tool('a', { compensate: { tool: 'b', arguments: () => ({}) } }),
        tool('b', { kind: 'read', guarantee: undefined }),
      ],
    ],
  ])('%s', (_title, code, message, tools) => {
    expect(() => createToolSet(tools)).toThrow(
      expect.objectContaining({
        code,
        message: expect.stringMatching(message) as unknown as string,
      }),
    );
  });
});
