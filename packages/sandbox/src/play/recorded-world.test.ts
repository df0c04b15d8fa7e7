import { describe, expect, it } from '@jest/globals';
import { type JsonObject } from '@action-ledger/domain';
import { type TraceLine } from '../traces/trace-line.ts';
import { type ProviderRequest } from '../provider/wire.ts';
import { type DeclaredTool } from './declare-tools.ts';
import { planRun } from './play-plan.ts';
import { createRecordedWorld, type RecordedWorld } from './recorded-world.ts';

const book: DeclaredTool = {
  name: 'book',
  description: '',
  parameters: { type: 'object' },
  scope: 'run',
  identity: 'all',
  free: [],
  sets: [],
  guarantee: 'lookup',
  undoneBy: [],
  keep: ['outcome.id'],
};

function worldOf(
  lines: readonly Partial<TraceLine>[],
  rates: Parameters<typeof createRecordedWorld>[0]['rates'] = {},
): RecordedWorld {
  const world = createRecordedWorld({ seed: 7, rates });
  const whole = lines.map((more, seq) => ({
    run: 'r1',
    conversation: 'c',
    seq,
    domain: 'air',
    tool: 'book',
    kind: 'write' as const,
    arguments: {},
    result: 'done',
    error: false,
    turn: 1,
    ...more,
  }));
  const cancel: DeclaredTool = { ...book, name: 'cancel' };
  const tools = new Map([
    [
      'air',
      new Map([
        ['book', book],
        ['cancel', cancel],
      ]),
    ],
  ]);
  world.open(planRun({ run: 'r1', domain: 'air', lines: whole }, tools));
  return world;
}

function request(call: string | undefined, args: JsonObject = {}, attempt = 1): ProviderRequest {
  const origin = call === undefined ? {} : { origin: { run: 'r1', turn: '1', call } };
  return { tenant: 'r1', tool: 'book', arguments: args, key: 'k', attempt, ...origin };
}

describe('the recorded world', () => {
  it('answers each call as it was answered', () => {
    const world = worldOf([{ error: true, result: 'sold out' }, {}]);
    expect(world.answer(request('0'))).toEqual({ kind: 'refused', error: 'sold out' });
    expect(world.answer(request('1'))).toEqual({ kind: 'accepted', result: { text: 'done' } });
  });

  it('tells two calls under one id apart by their arguments, defaults or not', () => {
    const world = worldOf([
      { call: 'x', arguments: { seat: 1 }, result: 'one' },
      { call: 'x', arguments: { seat: 2 }, result: 'two' },
    ]);
    expect(world.answer(request('x', { seat: 2, meal: 'none' }))).toMatchObject({
      result: { text: 'two' },
    });
  });

  it('tells two tools under one id apart', () => {
    const world = worldOf([
      { call: 'x', tool: 'cancel', result: 'cancelled' },
      { call: 'x', result: 'booked' },
    ]);
    expect(world.answer(request('x'))).toMatchObject({ result: { text: 'booked' } });
  });

  it('finds the call by its arguments where nobody says which it was', () => {
    const world = worldOf([{ arguments: { seat: 1 } }, { arguments: { seat: 2 }, result: 'two' }]);
    expect(world.answer(request(undefined, { seat: 2 }))).toMatchObject({
      result: { text: 'two' },
    });
  });

  it.each([
    ['whole', '{"id": "HAT\\u0041", "price": 3}'],
    ['cut', '{"id": "HATA", "passengers": [{"first'],
  ])('reads what undoers match by from a %s result text', (_, result) => {
    expect(worldOf([{ result }]).answer(request('0'))).toMatchObject({
      result: { text: result, id: 'HATA' },
    });
  });

  it('refuses what was never recorded, and forgets a closed run', () => {
    const world = worldOf([{}]);
    expect(world.answer(request('9')).kind).toBe('refused');
    world.close('r1');
    expect(world.answer(request('0')).kind).toBe('refused');
  });

  it('draws a fault for the call and its attempt, the same every time', () => {
    const drawn = (): unknown[] => {
      const world = worldOf(
        Array.from({ length: 200 }, () => ({})),
        { lostResponses: 0.3 },
      );
      return Array.from({ length: 200 }, (_, seq) => world.fault(request(String(seq))));
    };
    const faults = drawn();
    expect(faults).toEqual(drawn());
    const hit = faults.filter((fault) => fault !== undefined).length;
    expect(hit).toBeGreaterThan(35);
    expect(hit).toBeLessThan(85);
    const world = worldOf([{}], { lostResponses: 0.5 });
    const attempts = Array.from({ length: 20 }, (_, n) => world.fault(request('0', {}, n + 1)));
    expect(new Set(attempts).size).toBe(2);
  });
});
