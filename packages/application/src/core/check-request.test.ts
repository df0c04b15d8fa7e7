import { describe, expect, it } from '@jest/globals';
import {
  cancelShape,
  checkProposal,
  checkRequest,
  settleShape,
  voteShape,
} from './check-request.ts';

const vote = { actionId: 'a.0', voter: 'ann', vote: 'approve', argumentsHash: 'h' };
const settle = { actionId: 'a.0', by: 'op', reason: 'seen', revisionSeen: 3, verdict: 'found' };

describe('a request of an operator', () => {
  it('passes where it fits', () => {
    expect(checkRequest(vote, voteShape)).toBeUndefined();
    expect(checkRequest({ ...settle, forced: true }, settleShape)).toBeUndefined();
    expect(
      checkRequest({ actionId: 'a.0', by: 'op', reason: 'no need', revisionSeen: 3 }, cancelShape),
    ).toBeUndefined();
  });

  it.each([
    ['another vote', { ...vote, vote: 'Reject' }, voteShape, 'vote'],
    ['no vote', { ...vote, vote: undefined }, voteShape, 'vote'],
    ['a nameless voter', { ...vote, voter: ' ' }, voteShape, 'voter'],
    ['another verdict', { ...settle, verdict: 'Found' }, settleShape, 'verdict'],
    ['no author', { ...settle, by: undefined }, settleShape, 'by'],
    ['no reason', { ...settle, reason: '' }, settleShape, 'reason'],
    ['no revision', { ...settle, revisionSeen: undefined }, settleShape, 'revisionSeen'],
    ['half a revision', { ...settle, revisionSeen: 1.5 }, settleShape, 'revisionSeen'],
    ['a lone surrogate', { ...settle, reason: '\ud800' }, settleShape, 'reason'],
    ['a word for a flag', { ...settle, forced: 'yes' }, settleShape, 'forced'],
  ])('is refused with %s', (_what, request, shape, member) => {
    expect(checkRequest(request, shape)).toMatchObject({
      kind: 'refusal',
      code: 'action.request-invalid',
      detail: { member },
    });
  });
});

describe('a proposal', () => {
  const proposal = { tenant: 't1', origin: { run: 'r1', turn: '1', call: 'c1' } };

  it('passes where it fits', () => {
    expect(checkProposal(proposal)).toBeUndefined();
    expect(checkProposal({ ...proposal, by: 'ann', key: 'k1' })).toBeUndefined();
  });

  it.each([
    ['run', { ...proposal, origin: { run: 5 } }],
    ['turn', { ...proposal, origin: { turn: {} } }],
    ['tenant', { ...proposal, tenant: '' }],
    ['by', { ...proposal, by: 5 }],
    ['key', { ...proposal, key: null }],
  ])('is refused where its %s is no text', (member, wrong) => {
    expect(checkProposal(wrong as never)).toMatchObject({ detail: { member } });
  });
});
