import { describe, expect, it } from '@jest/globals';
import { createStyle } from './style.ts';
import { renderTable } from './table.ts';

const style = createStyle(false);
const head = [{ title: 'ID' }, { title: 'N', align: 'right' as const }, { title: 'NOTE' }];

describe('renderTable', () => {
  it('aligns columns and leaves no blanks at the end of a line', () => {
    const rows = [
      ['a', '1', 'first'],
      ['long', '22', ''],
    ];
    expect(renderTable(head, rows, { style, columns: undefined })).toBe(
      ['ID     N  NOTE', 'a      1  first', 'long  22', ''].join('\n'),
    );
  });

  it('cuts what may give way where the terminal is narrow, and nothing in a pipe', () => {
    const narrow = [{ title: 'ID' }, { title: 'TOOL', widthMin: 4 }];
    const rows = [['a', 'send_email_to_everyone']];
    expect(renderTable(narrow, rows, { style, columns: 12 })).toBe('ID  TOOL\na   send_em…\n');
    expect(renderTable(narrow, rows, { style, columns: undefined })).toContain('everyone');
  });

  it('lets a long text widen no other line in a pipe', () => {
    const wrapping = [{ title: 'NOTE', wraps: true }, { title: 'STATE' }];
    const long = 'x'.repeat(150);
    const rows = [
      [long, 'new'],
      ['short', 'old'],
    ];
    const lines = renderTable(wrapping, rows, { style, columns: undefined }).split('\n');
    expect(lines).toEqual([`NOTE${' '.repeat(98)}STATE`, `${long}  new`, expect.anything(), '']);
    expect(lines[2]?.length).toBe(105);
  });

  it('wraps a cell over several lines', () => {
    const wrapping = [{ title: 'ID' }, { title: 'NOTE', widthMin: 6, wraps: true }];
    expect(renderTable(wrapping, [['a', 'one two three']], { style, columns: 11 })).toBe(
      'ID  NOTE\na   one two\n    three\n',
    );
  });

  it('cuts a cell that would take too many lines, and nothing in a pipe', () => {
    const wrapping = [{ title: 'ID' }, { title: 'NOTE', widthMin: 6, wraps: true, linesMax: 2 }];
    const rows = [['a', 'one two three four five']];
    expect(renderTable(wrapping, rows, { style, columns: 11 })).toBe(
      'ID  NOTE\na   one two\n    three …\n',
    );
    expect(renderTable(wrapping, rows, { style, columns: undefined })).toContain('four five');
  });

  it('never cuts what may not give way', () => {
    expect(renderTable([{ title: 'ID' }], [['abcdefgh']], { style, columns: 4 })).toContain(
      'abcdefgh',
    );
  });

  it('paints the text and not its padding', () => {
    const painted = { text: 'ok', paint: (text: string) => `<${text}>` };
    const columns = [{ title: 'STATE' }, { title: 'X' }];
    expect(renderTable(columns, [[painted, 'x']], { style, columns: undefined })).toContain(
      '<ok>     x',
    );
  });
});
