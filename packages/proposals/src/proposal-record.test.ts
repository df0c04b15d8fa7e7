// What a record of `action.proposals` may look like, and what is told of one that may not.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { checkProposalRecord, decodeJsonProposal } from './index.ts';

const proposal = {
  proposalId: 'p-1',
  tenant: 'acme',
  by: 'planner',
  tool: 'refund',
  arguments: { order: 'A-1', cents: 500 },
  run: 'run-7',
};

const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

describe('a proposal as a record', () => {
  it('is read as it is', () => {
    expect(decodeJsonProposal(bytes(proposal))).toEqual({ kind: 'proposal', proposal });
  });

  it('looks like the one on its page', () => {
    const page = readFileSync(join(__dirname, '../../../docs/intake.md'), 'utf8');
    const [, shown = ''] = /```json file=proposal.json\n([^`]+)```/.exec(page) ?? [];
    expect(decodeJsonProposal(Buffer.from(shown))).toMatchObject({ kind: 'proposal' });
  });

  it('may leave out what it has no need of, and undefined counts as left out', () => {
    const { by: _by, run: _run, ...least } = proposal;
    expect(checkProposalRecord({ ...least, by: undefined, key: undefined })).toEqual({
      kind: 'proposal',
      proposal: least,
    });
  });

  it.each([
    ['no id', { ...proposal, proposalId: undefined }, 'request.invalid', '/proposalId'],
    ['an empty id', { ...proposal, proposalId: '' }, 'request.invalid', '/proposalId'],
    ['no tenant', { ...proposal, tenant: undefined }, 'request.invalid', '/tenant'],
    // The id of the proposal is the call id: with two of them nobody would know which counts.
    ['a call id beside it', { ...proposal, call: 'c-1' }, 'request.invalid', '/call'],
    [
      'arguments that are a text',
      { ...proposal, arguments: '{}' },
      'request.invalid',
      '/arguments',
    ],
    ['no object', [], 'request.invalid', 'the root'],
  ])('%s → it is not one, and the place is told', (_what, given, code, place) => {
    const decoded = decodeJsonProposal(bytes(given));
    expect(decoded).toMatchObject({
      kind: 'unreadable',
      code,
      reason: expect.stringContaining(place),
    });
  });

  it.each([
    ['no JSON', Buffer.from('refund A-1'), 'json.malformed'],
    ['cut short', bytes(proposal).subarray(0, 40), 'json.truncated'],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'json.malformed'],
    ['a member twice', Buffer.from('{"tool":"a","tool":"b"}'), 'json.duplicate-member'],
    [
      'a number that would be rounded',
      Buffer.from('{"n":9007199254740993}'),
      'json.integer-unsafe',
    ],
    ['too large', bytes({ ...proposal, tool: 'x'.repeat(400_000) }), 'json.too-large'],
  ])('%s → it is not one', (_what, value, code) => {
    const decoded = decodeJsonProposal(value);
    expect(decoded).toMatchObject({ kind: 'unreadable', code });
    // Arguments may be secret: no value is quoted.
    expect(JSON.stringify(decoded)).not.toContain('A-1');
  });
});
