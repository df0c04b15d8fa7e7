// The shipped sample, whose outcomes were worked out by hand.
import { describe, expect, it, jest } from '@jest/globals';
import { play, sample, sound, summaryOf, summaryOfRun } from './play.ts';

jest.setTimeout(60_000);

const quiet = { deferred: 0, unknown: { found: 0, absent: 0, open: 0 } };

describe('the shipped sample', () => {
  it('ends as was worked out, and prints these members alone', async () => {
    expect(await summaryOf(sample)).toEqual({
      ...sound,
      ...quiet,
      calls: 85,
      actions: 44,
      effects: 40,
      succeeded: 40,
      failed: 4,
      duplicatesSuppressed: 23,
      conflictsRefused: 1,
      invalidRefused: 4,
      seconds: expect.any(Number),
    });
  });

  it.each([
    ['shop/booked-cancelled-booked', 'booked, cancelled, booked again by a new call', 3, 1],
    ['shop/redelivered-after-undo', 'a redelivery after an undo has no effect', 2, 1],
    ['shop/note-there-and-back', 'set A, B, A', 3, 2],
    ['shop/sign-and-printer', 'what undoes itself runs every time', 6, 0],
    ['shop/three-instalments', 'three wanted transfers', 3, 1],
    ['shop/one-email-many-times', 'one e-mail, again and again', 2, 4],
    ['shop/in-out-in-out', 'in, out, in, out', 4, 2],
    ['shop/result-withheld', 'a result that the model never saw', 1, 2],
    ['shop/delivered-twice', 'the same call twice', 2, 2],
    ['shop/twins-and-order', 'twins in one message, and members in another order', 4, 1],
  ])('%s: %s', async (run, _what, effects, duplicatesSuppressed) => {
    expect(await summaryOfRun(sample, run)).toMatchObject({
      ...sound,
      ...quiet,
      effects,
      succeeded: effects,
      duplicatesSuppressed,
    });
  });

  it('lets a refused call be changed, and refuses the same order on another card', async () => {
    expect(await summaryOfRun(sample, 'shop/other-card')).toMatchObject({
      failed: 1,
      effects: 2,
      conflictsRefused: 1,
      duplicatesSuppressed: 2,
    });
  });

  it('defers a call that waits for an undo whose outcome is unknown, and goes on', async () => {
    const lost = ['--lost-responses', '35%', '--seed', '1'];
    expect(await summaryOfRun(sample, 'shop/in-out-in-out', ...lost)).toMatchObject({
      ...sound,
      deferred: 1,
      unknown: { open: 1 },
    });
  });

  it('tells a person what it counted, and what the recorded world would have taken', async () => {
    const { code, out } = await play(sample);
    expect(code).toBe(0);
    expect(out).toMatch(/duplicates suppressed +23/);
    expect(out).toMatch(/unknown tools +1/);
    expect(out).toMatch(/invalid refused +4 +1 of them was taken by the recorded world/);
    expect(out).toMatch(/shop\/filled-in-later #\d+ pay_supplier: .*urgent: no such member/);
    expect(out).toContain('Nothing doubled, nothing lost, every unknown has an owner.');
  });

  it('with faults: nothing doubled or lost, and the same seed the same play', async () => {
    const faults = [
      '--lost-responses',
      '20%',
      '--timeouts',
      '10%',
      '--duplicate-deliveries',
      '40%',
      '--seed',
      '7',
    ];
    const first = await summaryOf(sample, ...faults);
    expect(first).toMatchObject({ ...sound, calls: 85, duplicatesSuppressed: 23 });
    expect(first.unknown.found + first.unknown.absent).toBeGreaterThan(0);
    const again = await summaryOf(sample, ...faults, '--runs-at-once', '1');
    expect({ ...again, seconds: 0 }).toEqual({ ...first, seconds: 0 });
    const other = await summaryOf(sample, ...faults, '--seed', '8');
    expect({ ...other, seconds: 0 }).not.toEqual({ ...first, seconds: 0 });
  });
});

describe('what cannot be played', () => {
  it.each([
    ['a file that is not there', ['no-such.ndjson'], 1, /there is no file no-such\.ndjson/],
    [
      'a catalogue that is not',
      [sample, '--catalogue', 'no'],
      1,
      /no catalogue here[^]*--catalogue/,
    ],
    [
      'a share that is no percent',
      [sample, '--lost-responses', 'some'],
      2,
      /percent from 0 to 100/,
    ],
    ['a seed below 0', [sample, '--seed', '-1'], 2, /whole number/],
    ['a ledger that exists', [sample, '--path', 'package.json'], 1, /package\.json exists/],
    [
      'a folder that does not',
      [sample, '--path', 'no/such/x.db'],
      1,
      /there is no folder no\/such/,
    ],
    ['no file', [], 2, /missing required argument 'files'/],
  ] as const)('%s', async (_what, args, code, message) => {
    const ended = await play(...args);
    expect({ code: ended.code, err: ended.err }).toEqual({
      code,
      err: expect.stringMatching(message),
    });
  });
});
