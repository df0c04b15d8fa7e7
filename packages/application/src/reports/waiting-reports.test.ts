// What is damaged of the reports that wait hides none of the others, and is not read over and over.
import { hash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { createMemoryEventStore } from '@action-ledger/event-store';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { createLedgerClock } from '../core/ledger-clock.ts';
import { createWaitingReports, type WaitingReports } from './waiting-reports.ts';

const dayMs = 24 * 3_600_000;

const report = (externalId: string): Parameters<WaitingReports['keep']>[0] => ({
  ...{ tenant: 'acme', tool: 'pay', source: 'webhook', claims: 'note', proven: false, externalId },
});

it('a damaged day is told of once, and left out', async () => {
  const runtime = createVirtualRuntime();
  const memory = createMemoryEventStore();
  const read: string[] = [];
  const store: typeof memory = {
    ...memory,
    readStream: async (stream, ...more) => {
      read.push(stream);
      const events = await memory.readStream(stream, ...more);
      return stream === damaged ? events.map((each) => ({ ...each, type: 'Other' })) : events;
    },
  };
  const faults: unknown[] = [];
  const sha256 = (text: string): string => hash('sha256', text, 'base64url');
  const open = (): WaitingReports => {
    const deps = { store, sha256, clock: createLedgerClock(runtime.clock), runtime };
    return createWaitingReports(deps, (fault) => faults.push(fault));
  };
  const before = open();
  let damaged = '';
  await before.keep(report('a'));
  damaged = read.at(-1) ?? '';
  await runtime.advance(dayMs);
  await before.keep(report('b'));

  const after = open();
  const first = await after.load();
  expect(first.reports.map(({ request }) => request.externalId)).toEqual(['b']);
  expect([first.faults, faults.length]).toEqual([[], 1]);
  read.length = 0;
  expect(await after.load()).toEqual({ faults: [], reports: [] });
  expect(read).toEqual(['evidence-tenants']);
  await after.keep(report('c'));
  expect(after.list('acme')).toHaveLength(2);
});
