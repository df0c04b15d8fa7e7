/* eslint-disable max-lines-per-function -- a suite is a list of sentences, as in a test file */
// Offsets: they move on after the work and never before, so that a crash brings records again and
// loses none; where a group starts, how far it is behind, and how it is sent back to the start.
import { describe, expect, it } from '@jest/globals';
import { actionTopics } from '@action-ledger/event-log';
import {
  consumerOf,
  createGate,
  events,
  follow,
  lagAt,
  names,
  sorted,
  streams,
  totalLag,
  type WithLog,
} from './log-harness.ts';

export function committingContract(withLog: WithLog): void {
  describe('committing', () => {
    it(
      'nothing is committed before the handler has resolved',
      withLog(async (log, { feed }) => {
        await feed(['s-a']);
        const gate = createGate();
        const seen = await follow(log, { handle: () => gate.opened });
        await seen.until(() => seen.delivered.length === 1);
        const [record] = seen.delivered;
        const offset = record?.offset ?? NaN;
        const before = lagAt(await log.lag('group', [events]), record);
        expect(before?.next ?? 0).toBeLessThanOrEqual(offset);
        expect(before?.lag).toBeGreaterThanOrEqual(1);
        gate.open();
        await seen.untilHandled(1);
        await seen.close();
        const after = lagAt(await log.lag('group', [events]), record);
        expect(after).toMatchObject({ lag: 0 });
        expect(after?.next).toBeGreaterThan(offset);
      }),
    );

    it(
      'FW15 a consumer that dies before its commit loses nothing: the next one gets the records again',
      withLog(async (log, { feed, kill }) => {
        await feed(['s-a', 's-a']);
        const gate = createGate();
        const first = await follow(log, { handle: () => gate.opened });
        await first.until(() => first.delivered.length === 2);
        await kill(consumerOf(first));
        const second = await follow(log);
        await second.untilHandled(2);
        expect(names(second.handled)).toEqual(['s-a:0', 's-a:1']);
        // The dead one's handler ends, and moves nothing back or on.
        await feed(['s-a']);
        gate.open();
        await second.untilHandled(3);
        await second.close();
        expect(await totalLag(log)).toBe(0);
        expect(first.notices).toEqual(['assigned 1']);
        expect(first.faults).toEqual([]);
      }),
    );

    it(
      'what was committed does not come again, in this log or in the next one',
      withLog(async (log, { feed, reopen }) => {
        await feed(['s-a', 's-b']);
        const first = await follow(log);
        await first.untilHandled(2);
        await first.close();
        await feed(['s-a']);
        const second = await follow(log);
        await second.untilHandled(1);
        expect(names(second.handled)).toEqual(['s-a:1']);
        await second.close();
        await feed(['s-b']);
        const reopened = await reopen();
        const third = await follow(reopened);
        await third.untilHandled(1);
        expect(names(third.delivered)).toEqual(['s-b:1']);
        await reopened.close();
      }),
    );
  });

  describe('where a group starts', () => {
    it(
      'with the first record, or with what comes after it has joined',
      withLog(async (log, { feed }) => {
        await feed(['s-a', 's-b']);
        const late = await follow(log, { group: 'late', from: 'now' });
        const early = await follow(log, { group: 'early', from: 'start' });
        await feed(['s-a', 's-b']);
        await late.untilHandled(2);
        await early.untilHandled(4);
        expect(sorted(names(late.delivered))).toEqual(['s-a:1', 's-b:1']);
        expect(sorted(names(early.delivered))).toEqual(['s-a:0', 's-a:1', 's-b:0', 's-b:1']);
      }),
    );

    it(
      'a group that began with now misses nothing, though it was away before its first commit',
      withLog(async (log, { feed, kill, reopen }) => {
        await feed(['s-a']);
        const first = await follow(log, { from: 'now' });
        await kill(consumerOf(first));
        await feed(['s-a', 's-b']);
        const second = await follow(log, { from: 'now', handle: () => Promise.reject(away) });
        await second.until(() => second.delivered.length > 0);
        await second.close();
        const reopened = await reopen();
        const third = await follow(reopened, { from: 'now' });
        await third.untilHandled(2);
        expect(sorted(names(third.handled))).toEqual(['s-a:1', 's-b:0']);
        await reopened.close();
      }),
    );
  });

  describe('newest', () => {
    it(
      'gives the last record of each partition that has one, also behind gaps, and moves nobody',
      withLog(async (log, { feed, leaveGap }) => {
        expect(await log.newest([events])).toEqual([]);
        const some = streams('s', 12);
        await feed([...some, ...some]);
        await leaveGap();
        await leaveGap();
        const seen = await follow(log);
        await seen.untilHandled(24);
        await seen.close();
        const last = new Map(seen.handled.map((record) => [record.partition, record.offset]));
        const found = await log.newest([events]);
        expect(new Map(found.map((each) => [each.partition, each.offset]))).toEqual(last);
        expect(found).toHaveLength(last.size);
        await feed(['s-0']);
        expect(names(await log.newest([events]))).toContain('s-0:2');
        expect(await totalLag(log)).toBeGreaterThan(0);
      }),
    );

    it(
      'of a topic that is not there is refused',
      withLog(async (log) => {
        const refused = { code: 'log.unknown-topic', retry: 'never' };
        await expect(log.newest(['nothing'])).rejects.toMatchObject(refused);
      }),
    );
  });

  describe('lag', () => {
    it(
      'counts what waits for a group that is paused, and is zero once all is handled',
      withLog(async (log, { feed }) => {
        const many = streams('s', 20);
        expect(await totalLag(log, 'nobody')).toBe(0);
        await feed(many);
        expect(await totalLag(log, 'nobody')).toBeGreaterThanOrEqual(20);
        const seen = await follow(log);
        await seen.untilHandled(20);
        await eventually(async () => (await totalLag(log)) === 0);
        seen.pause();
        await feed(many);
        expect(await totalLag(log)).toBeGreaterThanOrEqual(20);
        seen.resume();
        await seen.untilHandled(40);
        await eventually(async () => (await totalLag(log)) === 0);
        const partitions = (await log.lag('group', [events])).map((each) => each.partition);
        expect(partitions).toEqual(partitions.map((_, index) => index));
        expect(partitions.length).toBeGreaterThan(1);
      }),
    );

    it(
      'of a topic that is not there, or of a malformed group, is refused',
      withLog(async (log) => {
        await expect(log.lag('group', ['nothing'])).rejects.toMatchObject({
          code: 'log.unknown-topic',
          retry: 'never',
        });
        await expect(log.lag('a group', [events])).rejects.toMatchObject({ code: 'log.invalid' });
      }),
    );
  });

  describe('reset', () => {
    it(
      'FW16 to the start brings every record again, to this group alone',
      withLog(async (log, { feed }) => {
        await feed(['s-a', 's-b', 's-a']);
        for (const group of ['group', 'other']) {
          const seen = await follow(log, { group });
          await seen.untilHandled(3);
          await seen.close();
        }
        await log.reset({ group: 'group', topics: [events], to: 'start' });
        const again = await follow(log);
        await again.untilHandled(3);
        expect(sorted(names(again.delivered))).toEqual(['s-a:0', 's-a:1', 's-b:0']);
        expect(await totalLag(log, 'other')).toBe(0);
      }),
    );

    it(
      'to now passes over what waits',
      withLog(async (log, { feed }) => {
        await feed(['s-a', 's-b']);
        await log.reset({ group: 'group', topics: [events], to: 'now' });
        expect(await totalLag(log)).toBe(0);
        const seen = await follow(log);
        await feed(['s-a']);
        await seen.untilHandled(1);
        expect(names(seen.delivered)).toEqual(['s-a:1']);
      }),
    );

    it(
      'is refused while the group has consumers, and of topics that are not there',
      withLog(async (log, { feed }) => {
        await feed(['s-a']);
        const seen = await follow(log);
        await seen.untilHandled(1);
        const request = { group: 'group', topics: [events], to: 'start' } as const;
        await expect(log.reset(request)).rejects.toMatchObject({ code: 'log.group-in-use' });
        await seen.close();
        await log.reset(request);
        await expect(log.reset({ ...request, topics: ['nothing'] })).rejects.toMatchObject({
          code: 'log.unknown-topic',
        });
        expect((await log.lag('group', [actionTopics.events])).length).toBeGreaterThan(0);
      }),
    );
  });
}

const away = Object.assign(new Error('the store is away'), { retry: 'safe' });

/** For what follows in the background: bounded by the time that a test has. */
async function eventually(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
}
