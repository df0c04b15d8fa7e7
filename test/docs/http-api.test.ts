// docs/http-api.md against the gateway: its routes and roles, its statuses and codes; and the table of
// problems against the codes that docs/errors.md says can reach a caller.
import { describe, expect, it } from '@jest/globals';
import { roles } from '@action-ledger/access';
import { type Allowed, described, permissions, problems } from '@action-ledger/gateway';
import { codesOf, firstCells, readPage, sectionOf } from './pages.ts';

const api = readPage('docs/http-api.md');

const cells = (row: string): readonly string[] =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

const rowsOf = (section: string): readonly (readonly string[])[] =>
  sectionOf(api, section)
    .split('\n')
    .filter((line) => /^\| (`|\d)/.test(line))
    .map(cells);

const whoOf = { open: 'anyone', owner: 'the owner of the machine' };

describe('docs/http-api.md', () => {
  it('lists every route, with what it is for and whom it is for', () => {
    const listed = rowsOf('Who is asking');
    const expected = described.map(({ method, path, summary, name }) => {
      const allowed: Allowed = permissions[name];
      const who = typeof allowed === 'string' ? whoOf[allowed] : allowed.join(', ');
      return [`\`${method} ${path}\``, summary, who === roles.join(', ') ? 'every role' : who];
    });
    expect(listed).toEqual(expected);
  });

  it('lists every status, with the codes that have it', () => {
    const listed = rowsOf('Statuses').filter(([, , named = '']) => named !== '');
    const codes = Object.entries(problems);
    const statuses = [...new Set(codes.map(([, { status }]) => status))].sort((a, b) => a - b);
    expect(listed.map(([status]) => Number(status))).toEqual(statuses);
    for (const [status, , named = ''] of listed) {
      const own = codes.filter(([, row]) => row.status === Number(status)).map(([code]) => code);
      expect(codesOf(named)).toEqual(own.sort());
    }
  });
});

describe('the table of problems', () => {
  /** Thrown at whoever opens a ledger, before there is a gateway. */
  const opensNothing = ['ledger.not-remote', 'ledger.options'];

  it('has a row for exactly the codes that can reach a caller', () => {
    const errors = readPage('docs/errors.md');
    const documented = [
      'Codes of answers',
      'Arguments that are refused',
      'Keys and identities that are refused',
      'Commands that an action refuses',
      'Workflows that are refused',
      'Pauses that are refused',
      'Reports that are refused',
      'Tools of callers that are refused',
      'API keys that are refused',
      'Faults of the store',
      'Misuse of a ledger',
      'Answers of the HTTP API',
    ].flatMap((section) => firstCells(sectionOf(errors, section)));
    const expected = new Set(documented.filter((code) => !opensNothing.includes(code)));
    expect(Object.keys(problems).sort()).toEqual([...expected].sort());
  });

  it('says when to ask again wherever asking again can help', () => {
    for (const [code, { status, retryAfterS }] of Object.entries(problems))
      if ([202, 429, 503].includes(status))
        expect([code, retryAfterS]).not.toEqual([code, undefined]);
  });
});
