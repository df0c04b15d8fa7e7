import { describe, expect, it } from '@jest/globals';
import {
  type Catalogue,
  type CatalogueTool,
  type CatalogueWrite,
  type Judgement,
} from '../traces/catalogue.ts';
import {
  declareTools,
  distinctTools,
  guaranteeByName,
  type DeclaredTool,
} from './declare-tools.ts';

function tool(name: string, fields: readonly string[], judgement: Judgement): CatalogueWrite {
  return {
    name,
    description: '',
    kind: 'write',
    parameters: {
      type: 'object',
      properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
    },
    judgement,
  };
}

function catalogueOf(domains: Readonly<Record<string, readonly CatalogueTool[]>>): Catalogue {
  return new Map(
    Object.entries(domains).map(([domain, tools]) => [
      domain,
      new Map(tools.map((each) => [each.name, each])),
    ]),
  );
}

function declared(...tools: readonly CatalogueTool[]): DeclaredTool {
  const found = declareTools(catalogueOf({ shop: tools }))
    .get('shop')
    ?.get(tools[0]?.name ?? '');
  if (found === undefined) throw new Error('not declared');
  return found;
}

describe('which fields are identity', () => {
  it('takes the text of an additive call for identity, and leaves the rest bound', () => {
    const pay = tool('pay', ['to', 'cents', 'subject', 'card', 'memo'], {
      effect: 'additive',
      identity_fields: ['to', 'cents'],
      free_text_fields: ['subject'],
      critical_fields: ['card'],
    });
    expect(declared(pay)).toMatchObject({
      scope: 'run',
      identity: ['to', 'cents', 'subject'],
      free: [],
    });
  });

  it('binds the text of an absolute call', () => {
    const note = tool('note', ['order', 'text'], {
      effect: 'absolute',
      identity_fields: ['order'],
      free_text_fields: ['text'],
    });
    expect(declared(note)).toMatchObject({ identity: ['order'], free: [], guarantee: 'natural' });
  });

  it('frees the text of a guarded call', () => {
    const cancel = tool('cancel', ['order', 'reason', 'refund_to'], {
      effect: 'guarded',
      identity_fields: ['order'],
      free_text_fields: ['reason'],
    });
    expect(declared(cancel)).toMatchObject({ identity: ['order'], free: ['reason'] });
  });

  it('lets a field that is both identity and text be identity', () => {
    const post = tool('post', ['body'], {
      effect: 'guarded',
      identity_fields: ['body'],
      free_text_fields: ['body'],
    });
    expect(declared(post)).toMatchObject({ identity: ['body'], free: [] });
  });

  it('gives a hand-over one identity per run', () => {
    const handOver = tool('hand_over', ['summary'], {
      effect: 'control',
      free_text_fields: ['summary'],
    });
    expect(declared(handOver)).toMatchObject({ scope: 'run', identity: [], free: ['summary'] });
  });

  it('takes all fields where nothing names an identity', () => {
    const odd = tool('odd', ['a', 'b'], { effect: 'guarded', critical_fields: ['a'] });
    expect(declared(odd)).toMatchObject({ identity: 'all', free: [] });
  });

  it.each([
    ['a toggle', tool('flip', ['side'], { effect: 'toggle' }), 'all'],
    ['a call without arguments', tool('reboot', [], { effect: 'additive' }), 'all'],
    ['an absolute call without arguments', tool('reset', [], { effect: 'absolute' }), []],
  ])('counts every call of %s', (_, each, identity) => {
    expect(declared(each)).toMatchObject({ scope: 'call', identity });
  });

  it('names the thing an absolute call sets', () => {
    const share = tool('share_file', ['file_id', 'email', 'permission'], {
      effect: 'absolute',
      identity_fields: ['file_id', 'email', 'permission'],
    });
    const password = tool('update_password', ['password'], { effect: 'absolute' });
    const price = tool('price', ['sku', 'cents'], {
      effect: 'absolute',
      identity_fields: ['sku', 'cents'],
      entity_fields: ['sku'],
    });
    expect(declared(share).identity).toEqual(['file_id', 'email']);
    expect(declared(password)).toMatchObject({ identity: [], scope: 'run' });
    expect(declared(price).identity).toEqual(['sku']);
  });

  it('keeps which arrays are sets', () => {
    const mail = tool('mail', ['to'], {
      effect: 'additive',
      identity_fields: ['to'],
      order_insensitive: ['to'],
    });
    expect(declared(mail).sets).toEqual(['to']);
  });
});

describe('what is promised', () => {
  it('draws the guarantee from the name alone, about a third each', () => {
    const names = Array.from({ length: 900 }, (_, index) => `tool_${index}`);
    const count = (wanted: string): number =>
      names.filter((name) => guaranteeByName(name) === wanted).length;
    for (const guarantee of ['idempotent', 'lookup', 'manual']) {
      expect(count(guarantee)).toBeGreaterThan(240);
      expect(count(guarantee)).toBeLessThan(360);
    }
  });

  it('stays the same from version to version', () => {
    expect(['send_money', 'send_email', 'book_reservation'].map(guaranteeByName)).toEqual([
      'lookup',
      'manual',
      'lookup',
    ]);
  });
});

describe('what undoes what', () => {
  const booking = tool('book_reservation', ['user_id'], {
    effect: 'additive',
    identity_fields: ['user_id'],
  });
  const cancelling = tool('cancel_reservation', ['reservation_id'], {
    effect: 'additive',
    identity_fields: ['reservation_id'],
  });

  it('knows the recorded pairs, and keeps the fields they match by', () => {
    const match = { 'arguments.reservation_id': 'outcome.reservation_id' };
    expect(declared(booking, cancelling)).toMatchObject({
      undoneBy: [{ tool: 'cancel_reservation', match }],
      keep: ['outcome.reservation_id'],
    });
    expect(declared(cancelling, booking)).toMatchObject({
      undoneBy: [],
      keep: ['arguments.reservation_id'],
    });
  });

  it('names no undoer that the domain does not have', () => {
    expect(declared(booking)).toMatchObject({ undoneBy: [], keep: [] });
  });

  it('takes the pairs that a catalogue states itself', () => {
    const match = { 'arguments.email': 'arguments.email' };
    const add = tool('add', ['email'], {
      effect: 'guarded',
      undone_by: [{ tool: 'remove', match }],
    });
    const remove = tool('remove', ['email'], { effect: 'guarded' });
    expect(declared(add, remove).undoneBy).toEqual([{ tool: 'remove', match }]);
  });
});

describe('names', () => {
  const mail = tool('mail', ['to'], { effect: 'additive', identity_fields: ['to'] });

  it('shares a tool between domains that describe it alike, whatever their wording', () => {
    const tools = declareTools(
      catalogueOf({ a: [mail], b: [{ ...mail, description: 'Sends an e-mail.' }] }),
    );
    expect(distinctTools(tools).map(({ name }) => name)).toEqual(['mail']);
  });

  it('gives each domain a tool of its own where they disagree', () => {
    const other = tool('mail', ['to', 'cc'], { effect: 'additive', identity_fields: ['to'] });
    const tools = declareTools(catalogueOf({ a: [mail], b: [other] }));
    expect(distinctTools(tools).map(({ name }) => name)).toEqual(['a.mail', 'b.mail']);
    expect(tools.get('b')?.get('mail')?.name).toBe('b.mail');
  });

  it('follows a disputed undoer', () => {
    const add = tool('add', ['to'], {
      effect: 'guarded',
      undone_by: [{ tool: 'mail', match: { 'arguments.to': 'arguments.to' } }],
    });
    const other = tool('mail', ['to', 'cc'], { effect: 'additive', identity_fields: ['to'] });
    const tools = declareTools(catalogueOf({ a: [add, mail], b: [add, other] }));
    expect(tools.get('b')?.get('add')).toMatchObject({
      name: 'b.add',
      undoneBy: [{ tool: 'b.mail' }],
    });
  });

  it('declares no reads', () => {
    const { judgement: _, ...see } = mail;
    const tools = declareTools(catalogueOf({ a: [{ ...see, kind: 'read' }] }));
    expect(distinctTools(tools)).toEqual([]);
  });
});
