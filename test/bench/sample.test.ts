import { describe, expect, it } from '@jest/globals';
import { turns } from './sample.ts';

describe('turns', () => {
  it('has the yardstick at both ends and turns the others round', () => {
    const contenders = ['http', 'sqlite-grouped', 'ledger'] as const;
    expect(turns(contenders, 0)).toEqual(['sqlite-grouped', 'http', 'ledger', 'sqlite-grouped']);
    expect(turns(contenders, 1)).toEqual(['sqlite-grouped', 'ledger', 'http', 'sqlite-grouped']);
    expect(contenders).toEqual(['http', 'sqlite-grouped', 'ledger']);
  });

  it('goes without a yardstick', () => {
    expect(turns(['http', 'ledger'], 0)).toEqual(['http', 'ledger']);
  });
});
