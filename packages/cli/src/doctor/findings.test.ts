import { describe, expect, it } from '@jest/globals';
import { judgeRoom, judgeSync } from './check-file.ts';
import { checkNode } from './check-node.ts';
import { judgeOwner } from './check-owner.ts';
import { judgeChains, judgeClock, judgeQuarantine } from './check-record.ts';
import { renderFindings } from './doctor.ts';
import { type Finding } from './finding.ts';
import { createStyle } from '../format/style.ts';

const now = Date.UTC(2026, 2, 1);
const owner = { pid: 7, startedAt: '2026-03-01T00:00:00.000Z', socket: '/x.sock' };
const node = (version: string): Finding | undefined =>
  checkNode({ node: version, sqlite: '3.50', execPath: '/node' })[0];

describe('each check', () => {
  it.each<readonly [string, Finding | undefined, Finding['state']]>([
    ['a Node that is new enough', node('22.16.0'), 'ok'],
    ['a newer one', node('24.0.0'), 'ok'],
    ['one that is too old', node('22.12.9'), 'fail'],
    ['a Node without SQLite', checkNode({ node: '24.0.0', execPath: '/node' })[1], 'fail'],
    ['room', judgeRoom(10 * 1024 ** 3), 'ok'],
    ['little room', judgeRoom(500 * 1024 ** 2), 'warn'],
    ['no room', judgeRoom(0), 'fail'],
    ['a fast disk', judgeSync(0.8), 'ok'],
    ['a slow disk', judgeSync(80), 'warn'],
    ['no holder', judgeOwner(undefined, false, false), 'ok'],
    ['a holder that runs', judgeOwner(owner, true, true), 'ok'],
    ['a holder that was killed', judgeOwner(owner, false, true), 'warn'],
    ['whole chains', judgeChains([], 12, 12), 'ok'],
    ['a broken chain', judgeChains(['action-a'], 12, 12), 'fail'],
    ['nothing in quarantine', judgeQuarantine([]), 'ok'],
    ['something in quarantine', judgeQuarantine(['a.0']), 'fail'],
    ['a clock that fits', judgeClock(now - 5, now), 'ok'],
    ['an empty ledger', judgeClock(undefined, now), 'ok'],
    ['a clock that was set back', judgeClock(now + 3_600_000, now), 'warn'],
  ])('%s', (_, finding, state) => {
    expect(finding?.state).toBe(state);
    expect(finding?.fix === undefined).toBe(state === 'ok');
  });
});

it('shows each finding with its fix, within the width', () => {
  const findings = [judgeRoom(0), judgeClock(now, now)];
  const page = renderFindings(findings, createStyle(false), 60);
  expect(page.split('\n').every((line) => line.length <= 60)).toBe(true);
  expect(page).toContain('FAIL  disk space');
  expect(page).toContain('fix: make room');
  expect(page).toContain('1 of 2 checks failed.');
});
