import { describe, expect, it } from '@jest/globals';
import { type NewEvent } from '@action-ledger/event-store';
import { eventsOf, type EventRow, rowText, rowTextFrom } from './row-text.ts';

describe('the text of a row', () => {
  it('is lines that a person can read', () => {
    const text = rowText([
      event('e1', '{"amount":1}', '{"hash":"aaaa","tenant":"acme"}'),
      event('e2', '{"amount":2}', '{"hash":"bbbb","tenant":"acme"}'),
      event('e3', '{"amount":3}', '{"hash":"aaaa","tenant":"acme"}'),
    ]);
    expect(text.split('\n')).toEqual([
      'e1',
      'ActionPlanned',
      '{"amount":1}',
      '{"hash":"aaaa","tenant":"acme"}',
      'e2',
      'ActionPlanned',
      '{"amount":2}',
      '~9,18,bbbb',
      'e3',
      'ActionPlanned',
      '{"amount":3}',
      '~31,0,',
    ]);
  });

  it('gives every pair of metadata texts back, also where they overlap or cut a character', () => {
    const texts = [
      '{}',
      '{"a":1}',
      '{"a":11}',
      '{"a":111}',
      '"~1,2,x"',
      '"🧾"',
      '"🧿"',
      '"🧾🧾"',
      'null',
    ];
    for (const first of texts) {
      for (const second of texts) {
        const events = [event('e1', '1', first), event('e2', '2', second)];
        const row = rowOf(events);
        expect(Buffer.from(row.events).toString()).toBe(row.events);
        expect(eventsOf(row).map(({ metadata }) => metadata)).toEqual([first, second]);
      }
    }
  });

  it('numbers its events from the revision and position of the row', () => {
    const row = { ...rowOf([event('e1'), event('e2')]), revision: 7, position: 40 };
    expect(eventsOf(row)).toMatchObject([
      { stream: 'action-a', revision: 7, position: 40 },
      { stream: 'action-a', revision: 8, position: 41 },
    ]);
  });

  it('keeps what is left when its first events are given up, however often', () => {
    const events = [event('e1', '1', '{"a":1}'), event('e2', '2', '{"a":12}'), event('e3', '3')];
    const row = { ...rowOf(events), revision: 5 };
    expect(rowTextFrom(row, 5)).toBe(row.events);
    const once = { ...row, events: rowTextFrom(row, 6) };
    expect(eventsOf(once)).toEqual(eventsOf(row).slice(1));
    expect(rowTextFrom(once, 6)).toBe(once.events);
    const twice = { ...once, events: rowTextFrom(once, 7) };
    expect(eventsOf(twice)).toEqual(eventsOf(row).slice(2));
    const gone = { ...row, events: rowTextFrom(twice, 8) };
    expect(gone.events).toBe('~');
    expect(eventsOf(gone)).toEqual([]);
  });

  const good = rowOf([event('e1'), event('e2')]);
  const damages: readonly (readonly [string, Partial<EventRow>])[] = [
    ['a line too few', { events: good.events.slice(0, good.events.lastIndexOf('\n')) }],
    ['a line too many', { events: `${good.events}\n` }],
    ['an empty line', { events: good.events.replace('e1\n', '\n') }],
    ['a difference that reaches too far', { events: good.events.replace('~2,0,', '~2,1,') }],
    ['no difference where one should be', { events: good.events.replace('~2,0,', '{}') }],
    ['an empty text', { events: '' }],
    ['nothing but empty lines', { events: '\n'.repeat(7) }],
    [
      'an event emptied behind others',
      { events: `${good.events.split('\n').slice(0, 4).join('\n')}\n\n\n\n` },
    ],
    ['another count', { count: 3 }],
    ['no text', { events: null as unknown as string }],
  ];
  it.each(damages)('with %s is damaged, and says where', (_, damage) => {
    expect(() => eventsOf({ ...good, ...damage })).toThrow('stream action-a at position 1');
  });
});

function rowOf(events: readonly NewEvent[]): EventRow {
  const text = rowText(events);
  const count = events.length;
  return { position: 1, stream: 'action-a', revision: 0, count, previous: null, events: text };
}

function event(id: string, data = '{}', metadata = '{}'): NewEvent {
  return { id, type: 'ActionPlanned', data, metadata };
}
