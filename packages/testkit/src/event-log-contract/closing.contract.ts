/* eslint-disable max-lines-per-function -- a suite is a list of sentences, as in a test file */
// Closing: it waits for the running handlers and keeps what they did, begins nothing more, and leaves
// the partitions to others. And what is refused before anything is done.
import { describe, expect, it } from '@jest/globals';
import { actionTopics } from '@action-ledger/event-log';
import { createGate, events, follow, names, totalLag, turns, type WithLog } from './log-harness.ts';

export function closingContract(withLog: WithLog): void {
  describe('close of a consumer', () => {
    it(
      'waits for the running handler and keeps its commit, and calls none after that',
      withLog(async (log, { feed }) => {
        await feed(['s-a', 's-a', 's-a']);
        const gate = createGate();
        const seen = await follow(log, { batchMax: 1, handle: () => gate.opened });
        await seen.until(() => seen.delivered.length === 1);
        let isClosed = false;
        const closed = seen.close().then(() => {
          isClosed = true;
        });
        await turns();
        expect(isClosed).toBe(false);
        expect(seen.deliveries[0]?.signal.aborted).toBe(false);
        gate.open();
        await closed;
        expect(names(seen.handled)).toEqual(['s-a:0']);
        await feed(['s-a']);
        await turns();
        expect(seen.delivered).toHaveLength(1);
        expect(seen.notices).toEqual(['assigned 1', 'revoked 1']);
        expect(seen.faults).toEqual([]);
        await seen.close();
        const next = await follow(log);
        await next.untilHandled(3);
        expect(names(next.handled)).toEqual(['s-a:1', 's-a:2', 's-a:3']);
      }),
    );

    it(
      'does not wait for the pause after a failure, nor for a paused consumer',
      withLog(async (log, { feed }) => {
        await feed(['s-a']);
        const retry = { pauseMinMs: 600_000, pauseMaxMs: 600_000 };
        const failing = await follow(log, { retry, handle: () => Promise.reject(new Error('no')) });
        await failing.until(() => failing.faults.length === 1);
        await failing.close();
        expect(failing.delivered).toHaveLength(1);
        const paused = await follow(log);
        paused.pause();
        await paused.close();
        const next = await follow(log);
        await next.untilHandled(1);
      }),
    );
  });

  describe('close of the log', () => {
    it(
      'closes its consumers: waits for their handlers, keeps what they did, ends their notices',
      withLog(async (log, { feed, reopen }) => {
        await feed(['s-a', 's-b']);
        const gate = createGate();
        const seen = await follow(log, { handle: () => gate.opened });
        const other = await follow(log, { group: 'other' });
        await other.untilHandled(2);
        await seen.until(() => seen.delivered.length === 2);
        const closed = log.close();
        await turns();
        expect(seen.handled).toEqual([]);
        gate.open();
        await closed;
        expect(seen.handled).toHaveLength(2);
        expect(other.notices).toEqual(['assigned 1', 'revoked 1']);
        const reopened = await reopen();
        expect(await totalLag(reopened)).toBe(0);
        expect(await totalLag(reopened, 'other')).toBe(0);
        await reopened.close();
      }),
    );

    it(
      'refuses everything afterwards, and may be repeated',
      withLog(async (log) => {
        await log.close();
        await log.close();
        const closed = { code: 'log.closed', retry: 'never' };
        await expect(follow(log)).rejects.toMatchObject(closed);
        await expect(log.lag('group', [events])).rejects.toMatchObject(closed);
        await expect(log.openPublisher()).rejects.toMatchObject(closed);
        const request = { group: 'group', topics: [events], to: 'now' } as const;
        await expect(log.reset(request)).rejects.toMatchObject(closed);
      }),
    );
  });

  describe('a consumer that is refused', () => {
    it.each([
      ['an unknown topic', { topics: ['nothing'] }, 'log.unknown-topic'],
      ['no topic', { topics: [] }, 'log.invalid'],
      ['a topic twice', { topics: [actionTopics.events, events] }, 'log.invalid'],
      ['a malformed group', { group: 'a group' }, 'log.invalid'],
      ['batches of nothing', { batchMax: 0 }, 'log.invalid'],
      ['no tries', { retry: { triesMax: 0 } }, 'log.invalid'],
      ['pauses without end', { retry: { pauseMaxMs: Infinity } }, 'log.invalid'],
      ['pauses of nothing', { retry: { pauseMinMs: 0 } }, 'log.invalid'],
    ])('has %s', (_what, options, code) =>
      withLog(async (log) => {
        await expect(follow(log, options)).rejects.toMatchObject({ code, retry: 'never' });
      })(),
    );
  });
}
