// What a soak ends with, for people and for whoever counts: what was done to the ledger, what came of it, and which
// of its promises were kept. The last line is `N passed, N failed`.
import { type summarise } from '@action-ledger/cli/play';
import { type TopicCounts } from './bystander.ts';
import { type Silence } from './silences.ts';
import { type Counted } from './watch.ts';

export interface Ending {
  /** By what was done. */
  readonly faults: ReadonlyMap<string, number>;
  /** Of all that was to be done; without those of strangers. */
  readonly faultsPlanned: number;
  readonly rebalances: number;
  /** Pauses that the ledger began by itself, and a person has ended. */
  readonly resumed: number;
  readonly proposals: number;
  readonly summary: ReturnType<typeof summarise>;
  readonly hasDrained: boolean;
  /** States on the log that are not what their streams lead to. */
  readonly wrongStates: readonly string[];
  /** Events of the store that are not on the log. */
  readonly untold: number;
  readonly topic: TopicCounts;
  /** By service. */
  readonly counted: ReadonlyMap<string, Counted>;
  readonly silences: ReadonlyMap<string, Silence>;
  /** What wanted a core of this machine at once at most, by its own mean of a minute, for each core. */
  readonly loadPerCore: number;
}

interface Promised {
  readonly sentence: string;
  readonly isKept: boolean;
}

export function promisesOf(ending: Ending): readonly Promised[] {
  const { summary, faults, silences } = ending;
  const done = [...faults.values()].reduce((sum, times) => sum + times, 0);
  const { doubledEffects, lostEffects, ownerless, brokenInvariants } = summary;
  return [
    { sentence: 'all of it was done, and it was loaded', isKept: isLoaded(ending, done) },
    { sentence: 'no effect was doubled', isKept: doubledEffects === 0 },
    { sentence: 'no effect was lost', isKept: lostEffects === 0 },
    { sentence: 'every unknown has an owner', isKept: ownerless === 0 },
    {
      sentence: 'streams hold together, and callers were told what is on record',
      isKept: brokenInvariants.length === 0,
    },
    {
      sentence: 'all that waited was handled once it was left in peace',
      isKept: ending.hasDrained,
    },
    { sentence: 'every event of the streams is on the log', isKept: ending.untold === 0 },
    {
      sentence: 'states on the log are what the streams lead to',
      isKept: ending.wrongStates.length === 0,
    },
    ...[...silences].map(([service, silence]) => ({
      sentence: `the ${service} was never silent for longer than it may be`,
      isKept: silence.heldSeconds <= silence.boundSeconds,
    })),
  ];
}

function isLoaded({ faultsPlanned, rebalances, summary, proposals }: Ending, done: number) {
  return done === faultsPlanned && rebalances > 0 && summary.effects > 0 && proposals > 0;
}

/** @returns whether all promises were kept */
export function printReport(ending: Ending, print: (line: string) => void): boolean {
  const row = (what: string, value: unknown): void => {
    print(`  ${what.padEnd(46)}${typeof value === 'string' ? value : JSON.stringify(value)}`);
  };
  print('\nWhat was done to it');
  for (const [what, times] of ending.faults) row(what, times);
  row('a stranger joined and left a group', ending.rebalances);
  row('a person resumed what the ledger had paused', ending.resumed);
  row('proposals published on the log', ending.proposals);
  print('\nWhat came of it');
  for (const [name, value] of Object.entries(ending.summary)) row(name, value);
  row('states on the log that differ from streams', ending.wrongStates.length);
  for (const each of ending.wrongStates.slice(0, 10)) print(`    ${each}`);
  printRecords(ending, print, row);
  print('\nSilence: the longest, and what is held against it of its bound');
  for (const [service, { longestSeconds, heldSeconds, boundSeconds }] of ending.silences)
    row(service, `${inSeconds(longestSeconds)}, ${inSeconds(heldSeconds)} of ${boundSeconds} s`);
  // Where processes wait for a core, their silence says little about the ledger.
  row('highest load of this machine for each core', ending.loadPerCore.toFixed(1));
  const promises = promisesOf(ending);
  print('');
  for (const { sentence, isKept } of promises) print(`  ${isKept ? '✓' : '✕'} ${sentence}`);
  const kept = promises.filter(({ isKept }) => isKept).length;
  print(`\n${kept} passed, ${promises.length - kept} failed`);
  return kept === promises.length;
}

/** What a process had counted less than it had done when it was killed is not seen. */
function printRecords(
  { topic, counted, untold }: Ending,
  print: (line: string) => void,
  row: (what: string, value: unknown) => void,
): void {
  print('\nRecords of events');
  row('events told', topic.events);
  row('events not told', untold);
  row('published once more', topic.publishedAgain);
  row('delivered once more to a bystander', topic.deliveredAgain);
  for (const [service, { handled, redelivered }] of counted)
    row(`delivered once more to the ${service}`, redelivered + Math.max(0, handled - topic.events));
}

function inSeconds(seconds: number): string {
  return `${seconds.toFixed(1)} s`;
}
