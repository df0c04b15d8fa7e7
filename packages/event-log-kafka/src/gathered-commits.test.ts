import { beforeEach, describe, expect, it } from '@jest/globals';
import { createVirtualRuntime, type VirtualRuntime } from '@action-ledger/testkit';
import { createGatheredCommits, type GatheredCommits, type Standing } from './gathered-commits.ts';

describe('gathered commits', () => {
  let runtime: VirtualRuntime;
  let sent: (readonly Standing[])[];
  let failure: Error | undefined;
  let commits: GatheredCommits;

  beforeEach(() => {
    runtime = createVirtualRuntime();
    sent = [];
    failure = undefined;
    commits = createGatheredCommits({
      gatherMs: 20,
      timers: runtime.timers,
      send: async (standings) => {
        sent.push(standings);
        if (failure !== undefined) throw failure;
      },
    });
  });

  const at = (partition: number, next: number): Standing => ({
    topic: 'action.events',
    partition,
    next,
  });

  it('go out together, each partition once', async () => {
    const all = Promise.all([
      commits.commit(at(0, 3)),
      commits.commit(at(1, 5)),
      commits.commit(at(0, 4)),
    ]);
    await runtime.advance(19);
    expect(sent).toEqual([]);
    await runtime.advance(1);
    await all;
    expect(sent).toEqual([[at(0, 4), at(1, 5)]]);
  });

  it('begin anew with what comes after they went out', async () => {
    const first = commits.commit(at(0, 3));
    await runtime.advance(20);
    await first;
    const second = commits.commit(at(0, 4));
    await runtime.advance(20);
    await second;
    expect(sent).toEqual([[at(0, 3)], [at(0, 4)]]);
  });

  it('fail together', async () => {
    failure = new Error('away');
    const both = Promise.allSettled([commits.commit(at(0, 3)), commits.commit(at(1, 5))]);
    await runtime.advance(20);
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('are not sent once they are dropped', async () => {
    const dropped = expect(commits.commit(at(0, 3))).rejects.toThrow('given out anew');
    commits.drop();
    await dropped;
    const kept = commits.commit(at(0, 3));
    await runtime.advance(20);
    await kept;
    expect(sent).toEqual([[at(0, 3)]]);
  });
});
