import { describe, expect, it } from '@jest/globals';
import { type Ending, printReport, promisesOf } from './report.ts';

const summary: Ending['summary'] = {
  calls: 10,
  actions: 5,
  effects: 4,
  succeeded: 4,
  failed: 1,
  duplicatesSuppressed: 2,
  conflictsRefused: 0,
  invalidRefused: 0,
  deferred: 0,
  unknown: { found: 1, absent: 0, open: 0 },
  doubledEffects: 0,
  lostEffects: 0,
  ownerless: 0,
  brokenInvariants: [],
  seconds: 60,
};

const kept: Ending = {
  faults: new Map([['kill -9 of a gateway', 2]]),
  faultsPlanned: 2,
  resumed: 1,
  rebalances: 3,
  proposals: 7,
  summary,
  hasDrained: true,
  wrongStates: [],
  untold: 0,
  topic: { events: 20, publishedAgain: 1, deliveredAgain: 2 },
  counted: new Map([['executor', { handled: 24, redelivered: 3 }]]),
  loadPerCore: 1.5,
  silences: new Map([['executor', { longestSeconds: 30, heldSeconds: 9, boundSeconds: 15 }]]),
};

const brokenBy = (changes: Partial<Ending>): readonly string[] =>
  promisesOf({ ...kept, ...changes })
    .filter(({ isKept }) => !isKept)
    .map(({ sentence }) => sentence);

const broken = { stream: 'action-1', invariant: 'chain-holds', detail: 'revision 1' };
const silent = { longestSeconds: 30, heldSeconds: 16, boundSeconds: 15 };

describe('a soak', () => {
  it('that went well keeps what it promises', () => {
    expect(brokenBy({})).toEqual([]);
  });

  it.each<[string, Partial<Ending>]>([
    ['all of it was done, and it was loaded', { faults: new Map() }],
    ['all of it was done, and it was loaded', { rebalances: 0 }],
    ['all of it was done, and it was loaded', { proposals: 0 }],
    ['no effect was doubled', { summary: { ...summary, doubledEffects: 1 } }],
    ['no effect was lost', { summary: { ...summary, lostEffects: 1 } }],
    ['every unknown has an owner', { summary: { ...summary, ownerless: 1 } }],
    [
      'streams hold together, and callers were told what is on record',
      { summary: { ...summary, brokenInvariants: [broken] } },
    ],
    ['all that waited was handled once it was left in peace', { hasDrained: false }],
    ['every event of the streams is on the log', { untold: 1 }],
    ['states on the log are what the streams lead to', { wrongStates: ['action-1: other'] }],
    [
      'the executor was never silent for longer than it may be',
      { silences: new Map([['executor', silent]]) },
    ],
  ])('fails by itself: %s', (sentence, changes) => {
    expect(brokenBy(changes)).toEqual([sentence]);
  });

  it('ends with what was kept, and tells what was delivered once more', () => {
    const lines: string[] = [];
    expect(printReport({ ...kept, untold: 1 }, (line) => lines.push(line))).toBe(false);
    expect(lines.at(-1)).toBe('\n8 passed, 1 failed');
    expect(lines.find((line) => line.includes('once more to the executor'))).toMatch(/ 7$/);
  });
});
