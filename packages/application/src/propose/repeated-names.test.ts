import { describe, expect, it } from '@jest/globals';
import { defineTool, type Tool } from '@action-ledger/tools';
import { z } from 'zod';
import { type Names } from './names.ts';
import { type Proposal } from './proposal.ts';
import { createRepeatedNames } from './repeated-names.ts';

const shared = {
  input: z.object({ to: z.string(), pin: z.string().optional() }),
  guarantee: 'manual',
  scope: 'tenant',
  execute: () => null,
} as const;
const open: Tool = defineTool({ ...shared, name: 'open', identity: ['to'] });
const secret: Tool = defineTool({ ...shared, name: 'secret', identity: ['to'], secret: ['pin'] });
const proposal: Proposal = { tool: 'open', tenant: 'acme', arguments: {}, origin: {} };
const plain = { to: 'a', pin: '1' };
const names = { kind: 'names' } as Names;

describe('the names of repeated calls', () => {
  it('are found again by the same call', () => {
    const kept = createRepeatedNames();
    kept.keep(open, proposal, plain, names);
    expect(kept.find(open, proposal, { to: 'a', pin: '1' })).toBe(names);
    expect(kept.find(open, proposal, { to: 'b', pin: '1' })).toBeUndefined();
  });

  it('are not found for a tool that was declared otherwise meanwhile', () => {
    const kept = createRepeatedNames();
    kept.keep(open, proposal, plain, names);
    const renamed = defineTool({ ...shared, name: 'open', identity: ['to'], identityVersion: 2 });
    expect(kept.find(renamed, proposal, plain)).toBeUndefined();
  });

  it('are not kept where a secret would be kept with them', () => {
    const kept = createRepeatedNames();
    kept.keep(open, proposal, { to: 'b' }, names);
    kept.keep(secret, proposal, plain, names);
    expect(kept.find(secret, proposal, plain)).toBeUndefined();
  });

  it('are no longer looked for when repeats have ceased', () => {
    const kept = createRepeatedNames();
    kept.keep(open, proposal, plain, names);
    for (let n = 0; n < 64; n += 1) kept.find(open, proposal, { to: `new ${n}` });
    expect(kept.find(open, proposal, plain)).toBeUndefined();
  });
});
