// The topic of states is compared with the streams: what somebody else has written there, or what is missing,
// is told once, and the projector writes it once more.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { headersOfEvent } from '@action-ledger/event-log';
import { openProjectionsWorld, type ProjectionsWorld, second } from './world.ts';

let world: ProjectionsWorld;

beforeEach(async () => {
  world = await openProjectionsWorld();
});

afterEach(async () => {
  await world.close();
});

const text = (value: string): Uint8Array => Buffer.from(value);

function headers(action: string, revision: number) {
  const stream = `action-${action}`;
  return headersOfEvent({ eventId: 'e', type: 'T', stream, revision, position: 1 });
}

async function expectMended(): Promise<void> {
  const { newest, last } = await world.states();
  expect(last).toEqual(await world.folds());
  expect(newest).toEqual(last);
}

describe('the auditor over action.state', () => {
  it('finds nothing where nothing is wrong, and holds what is on its way against nobody', async () => {
    const one = await world.project('a');
    await world.pay('i-1', 'lost-1');
    await world.audit();
    void one.stop();
    await world.runtime.advance(second);
    await world.pay('i-2');
    await world.audit();
    expect(world.breaches).toEqual([]);
    expect((await world.store.readStream('state-mends')).length).toBe(0);
  });

  it('misses no state whose place a newer one has taken while it read', async () => {
    const one = await world.project('a');
    await world.pay('lost-1', 'i-2');
    const replaced = await world.actionOf('lost-1');
    void one.stop();
    await world.runtime.advance(second);
    const known = (await world.store.readStream(`action-${replaced}`)).length;
    const withoutIt: typeof world.log.consume = ({ handler, ...options }) =>
      world.log.consume({
        ...options,
        handler: (records, delivery) =>
          handler(
            records.filter(({ key }) => key !== replaced),
            delivery,
          ),
      });
    await world.settle(replaced);
    expect((await world.store.readStream(`action-${replaced}`)).length).toBeGreaterThan(known);
    await world.audit(undefined, { consume: withoutIt });
    expect(world.breaches).toEqual([]);
  });

  it('tells of each state that is not what its stream says, once, and has it written once more', async () => {
    await world.project('a');
    await world.pay('i-1', 'i-2', 'i-3', 'i-4', 'i-5', 'i-6');
    const [missing = '', behind = '', ahead = '', other = '', foreign = ''] = await Promise.all(
      ['i-1', 'i-2', 'i-3', 'i-4', 'i-5'].map((invoice) => world.actionOf(invoice)),
    );
    const never = `${'A'.repeat(43)}.0`;
    const { last } = await world.states();
    const keys = [...last.keys()];
    expect(keys).toContain(missing);
    await world.intrude({ key: missing, value: undefined, headers: headers(missing, 0) });
    await world.intrude({ key: behind, value: text('{}'), headers: headers(behind, 0) });
    await world.intrude({ key: ahead, value: text('{}'), headers: headers(ahead, 99) });
    const revision = (await world.store.readStream(`action-${other}`)).length - 1;
    await world.intrude({ key: other, value: text('{}'), headers: headers(other, revision) });
    await world.intrude({ key: foreign, value: text('{}') });
    await world.intrude({ key: never, value: text('{}'), headers: headers(never, 3) });
    // Held in memory are fewer than there are.
    await world.audit(2);
    const told = world.breaches.map(({ stream, detail }) => `${stream}: ${detail}`).sort();
    expect(told).toHaveLength(6);
    const saysOf = (action: string): string =>
      told.find((each) => each.startsWith(`action-${action}: `)) ?? '';
    expect(saysOf(missing)).toContain('has no state of it');
    expect(saysOf(behind)).toContain('has revision 0, and everything up to');
    expect(saysOf(ahead)).toContain('the stream ends at');
    expect(saysOf(other)).toContain('something else');
    expect(saysOf(never)).toContain('there is no such stream');
    expect(told.at(-1)).toContain('none of the projector');
    await expectMended();
    await world.audit();
    expect(world.breaches).toHaveLength(6);
    await expectMended();
  });
});
