// A day of load in virtual time, over each adapter: whatever went wrong, at its end each action has had one
// effect or none, everything unknown is owned, and nobody was told anything twice. DAY_SEED plays another day.
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { verifyLedger } from '@action-ledger/application';
import { checks } from './checks/all-checks.ts';
import { otherDays } from './checks/other-days.ts';
import { type Day, playDay } from './day.ts';
import { type DayRecord, standingOf } from './record.ts';
import { sha256 } from './process.ts';
import { hour } from './times.ts';

// Some seconds, where nothing else goes on.
jest.setTimeout(600_000);

const seed = Number(process.env['DAY_SEED'] ?? 1);
const days = [
  { adapter: 'memory', calls: 2_000 },
  { adapter: 'sqlite', calls: 400 },
] as const;

describe.each(days)(`a day over $adapter (DAY_SEED=${seed})`, ({ adapter, calls }) => {
  let day: Day;
  let record: DayRecord;
  beforeAll(async () => {
    day = await playDay({ seed, adapter, calls });
    record = await day.record();
  });
  afterAll(() => day.close());

  it.each(Object.entries(checks))('%s', (_name, check) => {
    expect(check(day, record)).toEqual([]);
  });

  // The shorter day need not have one of everything.
  if (adapter === 'memory')
    it.each(otherDays)('would be found out if $is', ({ check, change }) => {
      expect(checks[check](...change(day, record)).length).toBeGreaterThan(0);
    });

  it('had its share of everything', () => {
    const types = new Set(record.events.map(({ type }) => type));
    expect([...types]).toEqual(expect.arrayContaining([...expected]));
    const words = new Set(day.agents.told.map(({ outcome: { word } }) => word));
    expect([...words]).toEqual(expect.arrayContaining(['done', 'already-done', 'checking']));
    expect(day.people.refusedVotes()).toBeGreaterThan(0);
    const open = [...record.actions.values()].map(({ facts }) => standingOf(facts, day.midnight));
    expect(open.filter(({ is }) => is === 'unknown').length).toBeGreaterThan(0);
    expect(day.faults()).toEqual([]);
  });

  it('FW16 tells nobody again when all of it is read again, nor when the log is lost', async () => {
    const sendings = day.pager.sendings.length;
    const read = day.process().notifier.health().handled;
    expect(read).toBeGreaterThan(0);
    await day.process().replay();
    await day.time.advance(hour);
    expect(day.process().notifier.health().handled - read).toBeGreaterThanOrEqual(read);
    await day.restart({ loseLog: true });
    await day.time.advance(hour);
    expect(day.process().notifier.health().handled).toBeGreaterThanOrEqual(read);
    expect(day.pager.sendings.slice(sendings)).toEqual([]);
  });

  it('writes nothing while nothing is due, and holds no more', async () => {
    const from = day.time.clock.monoMs();
    const before = day.process().ledger.gauges();
    const quiet = [await day.quietHour(), await day.quietHour(), await day.quietHour()];
    const until = day.time.clock.monoMs();
    const due = checksWithin(await day.record(), day.midnight, from, until);
    expect(quiet.reduce((sum, { appends }) => sum + appends, 0)).toBeLessThanOrEqual(due);
    expect(quiet.filter(({ appends }) => appends === 0).length).toBeGreaterThan(0);
    expect(day.process().ledger.gauges()).toEqual(before);
    expect(quiet[2]?.timers).toBeLessThanOrEqual(quiet[0]?.timers ?? 0);
  });

  it('breaks no invariant', async () => {
    const { brokenInvariants } = await verifyLedger(day.disk.store, { sha256 });
    expect(brokenInvariants).toEqual([]);
  });
});

/** Next checks of what is unknown, as far as they are on record. */
function checksWithin(
  { actions }: DayRecord,
  midnight: number,
  from: number,
  until: number,
): number {
  const due = [...actions.values()].flatMap(({ facts }) =>
    facts.filter(({ data }) => {
      const at = Number(data['nextCheckAt']) - midnight;
      return at >= from && at < until;
    }),
  );
  return due.length;
}

describe('a morning', () => {
  it('is the same for the same seed, to the byte, and another for another', async () => {
    const texts = async (of: number): Promise<string> => {
      const day = await playDay({ seed: of, adapter: 'memory', calls: 500, until: 4 * hour });
      const { events } = await day.record();
      await day.close();
      return sha256(JSON.stringify(events));
    };
    const first = await texts(seed);
    expect(await texts(seed)).toBe(first);
    expect(await texts(seed + 1)).not.toBe(first);
  });
});

const expected = [
  'ActionCancelled',
  'ActionCompensated',
  'ActionExpired',
  'ActionFailed',
  'ActionOutcomeUnknown',
  'ActionReconciled',
  'ActionRejected',
  'EvidenceRecorded',
  'LedgerPaused',
  'LedgerResumed',
  'NoticeDelivered',
  'ReconciliationChecked',
  'RetryPlanned',
] as const;
