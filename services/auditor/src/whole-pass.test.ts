import { hash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { type BrokenRecord } from '@action-ledger/application';
import { sealEvents } from '@action-ledger/codec';
import { chainStart } from '@action-ledger/domain';
import { createMemoryEventStore, type RecordedEvent } from '@action-ledger/event-store';
import { passOverAll, type WholePassDeps } from './whole-pass.ts';

const sha256 = (text: string): string => hash('sha256', text, 'base64url');

it('tells of a stream of records that was edited, and of no other', async () => {
  const store = createMemoryEventStore();
  for (const stream of ['pauses', 'keys']) {
    let next = 0;
    const context = { sha256, nextId: () => `${stream}-${(next += 1)}`, at: 1 };
    const named = [1, 2, 3].map((n) => ({ type: 'Named', data: { n } }));
    const { events } = sealEvents(context, chainStart(stream), named);
    for (const [place, event] of events.entries())
      await store.append(stream, place === 0 ? 'no stream' : place - 1, [event]);
  }
  const edited = (event: RecordedEvent): RecordedEvent =>
    event.stream === 'keys' && event.revision === 1 ? { ...event, data: '{"n":9}' } : event;
  const told: BrokenRecord[] = [];
  const deps: WholePassDeps = {
    store: { readAll: async (range) => (await store.readAll(range)).map(edited) },
    sha256,
    rests: { take: async () => undefined, inTurn: (work) => work(), end: () => undefined },
    audit: async () => undefined,
    report: async (breach) => {
      told.push(breach);
    },
    onFault: () => undefined,
    onMoved: async () => undefined,
    outage: async () => undefined,
    isStopped: () => false,
  };
  // One that goes on where an earlier pass was ended has nothing to tell of what that has looked at.
  await passOverAll(deps, { after: 5, through: 6 });
  expect(told).toEqual([]);
  await passOverAll(deps, { after: 0, through: 6 });
  expect(told).toEqual([
    { stream: 'keys', invariant: 'chain-holds', detail: expect.stringContaining('revision 1') },
  ]);
});
