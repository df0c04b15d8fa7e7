// The failure windows that need the death of a process, with real processes, kill -9 and a real file:
// one action of each guarantee stands at the point when its process dies.
import { afterEach, expect, it } from '@jest/globals';
import { type WritePoint } from '@action-ledger/client';
import { ackLost, type Fault, type ProviderOptions, reqLost, slow } from '@action-ledger/sandbox';
import { type Child, openRig, pause, type Rig } from './rig.ts';
import { jobOf, times } from './work.ts';

/** Of `jobOf`: idempotent, lookup, natural, manual. */
const oneOfEach = [0, 1, 3, 9];
/** With an undo window: claimed and dispatched by two appends. */
const later = [4, 8, 14];

let rigs: Rig[] = [];

afterEach(async () => {
  await Promise.all(rigs.map((rig) => rig.close()));
  rigs = [];
});

async function openWith(options: Partial<ProviderOptions> = {}): Promise<Rig> {
  const rig = await openRig({
    answer: () => ({ kind: 'accepted', result: { done: true } }),
    ...options,
  });
  rigs.push(rig);
  return rig;
}

/** The first request under each key meets the fault. */
function onFirstOfEach(fault: Fault): NonNullable<ProviderOptions['fault']> {
  return ({ attempt }) => (attempt === 1 ? fault : undefined);
}

async function dieAt(
  rig: Rig,
  point: WritePoint,
  numbers: readonly number[],
  more: { readonly isPatient?: boolean } = {},
): Promise<void> {
  const child = rig.start({
    ...more,
    mode: 'finish',
    again: numbers,
    callers: numbers.length,
    at: { point, nth: numbers.length, signal: 'SIGKILL', holds: true },
  });
  expect((await child.next('reached')).point).toBe(point);
  expect(await child.ended).toBe('SIGKILL');
  expect(rig.told.size).toBe(numbers.length);
}

async function expectSound(rig: Rig, actions: number): Promise<void> {
  expect(await rig.judge()).toMatchObject({
    actions,
    broken: [],
    doubled: [],
    lost: [],
    ownerless: [],
    misled: [],
  });
}

const stateOf = (rig: Rig, number: number): string | undefined => rig.told.get(number)?.state;

function requests(rig: Rig, tool: string): number {
  const tallies = rig.provider.tally().filter((tally) => tally.tool === tool);
  return tallies.reduce((sum, tally) => sum + tally.requests, 0);
}

function effects(rig: Rig): number {
  return rig.provider.tally().reduce((sum, tally) => sum + tally.effects, 0);
}

/** All but the manual one, which waits for a person. */
function expectDone(rig: Rig, numbers: readonly number[]): void {
  for (const number of numbers) {
    const isManual = jobOf(number).tool === 'pay-manual';
    expect(stateOf(rig, number)).toBe(isManual ? 'unknown' : 'succeeded');
  }
}

it('FW03 effect committed, response dropped, and the process is killed in doubt → found without a second effect', async () => {
  const rig = await openWith({ fault: onFirstOfEach(ackLost) });
  await dieAt(rig, 'unknown recorded', oneOfEach);
  expect(effects(rig)).toBe(4);
  await rig.finish();
  expectDone(rig, oneOfEach);
  expect(effects(rig)).toBe(4);
  expect(requests(rig, 'pay-lookup')).toBe(1);
  expect(requests(rig, 'pay-manual')).toBe(1);
  await expectSound(rig, 4);
}, 60_000);

it('FW04 killed after claim, before dispatch → recovered, one effect', async () => {
  const rig = await openWith();
  await dieAt(rig, 'claimed', later);
  expect(rig.provider.arrivals).toHaveLength(0);
  await rig.finish();
  expectDone(rig, later);
  expect(requests(rig, 'pay-later')).toBe(later.length);
  await expectSound(rig, later.length);
}, 60_000);

it('FW04 killed after the claim to send again → recovered, one effect', async () => {
  const rig = await openWith({ fault: onFirstOfEach(ackLost) });
  const resent = [0, 3];
  await dieAt(rig, 'claimed', resent);
  await rig.finish();
  expectDone(rig, resent);
  expect(effects(rig)).toBe(2);
  await expectSound(rig, 2);
}, 60_000);

it('FW05 killed after dispatch, before the effect → recovered, one effect', async () => {
  const rig = await openWith();
  await dieAt(rig, 'dispatched', oneOfEach);
  expect(rig.provider.arrivals).toHaveLength(0);
  await rig.finish();
  expectDone(rig, oneOfEach);
  // Nobody knows that nothing was sent, so the one that cannot be asked about waits for a person.
  expect(effects(rig)).toBe(3);
  expect(requests(rig, 'pay-manual')).toBe(0);
  await expectSound(rig, 4);
}, 60_000);

it('FW05 killed as the request leaves, which never arrives → recovered, one effect', async () => {
  const rig = await openWith({ fault: onFirstOfEach(reqLost) });
  const child = rig.start({
    mode: 'finish',
    again: oneOfEach,
    callers: 4,
    at: { point: 'sending', nth: 4, signal: 'SIGKILL' },
  });
  expect(await child.ended).toBe('SIGKILL');
  expect(effects(rig)).toBe(0);
  await rig.finish();
  expectDone(rig, oneOfEach);
  expect(effects(rig)).toBe(3);
  await expectSound(rig, 4);
}, 60_000);

it('FW06 killed after the effect, before the outcome is written → found, one effect', async () => {
  const rig = await openWith();
  await dieAt(rig, 'replied', oneOfEach);
  expect(effects(rig)).toBe(4);
  await rig.finish();
  expectDone(rig, oneOfEach);
  expect(effects(rig)).toBe(4);
  expect(requests(rig, 'pay-lookup')).toBe(1);
  expect(requests(rig, 'pay-manual')).toBe(1);
  await expectSound(rig, 4);
}, 60_000);

it('FW07 killed after the outcome is written, before the caller is told → the repeat gets it', async () => {
  const rig = await openWith();
  // Each outcome is to come from its attempt, however busy the machine is.
  await dieAt(rig, 'outcome recorded', oneOfEach, { isPatient: true });
  const untold = oneOfEach.filter((number) => rig.told.get(number) === undefined);
  expect(untold.length).toBeGreaterThan(0);
  await rig.finish();
  for (const number of untold) expect(rig.told.get(number)?.word).toBe('already-done');
  expect(oneOfEach.map((number) => stateOf(rig, number))).toEqual(Array(4).fill('succeeded'));
  expect(rig.provider.arrivals).toHaveLength(4);
  await expectSound(rig, 4);
}, 60_000);

/** Longer than the deadline, the lease and the in-flight bound. */
const stallMs = 2 * (times.inFlightMs + times.leaseMs);

/** Nobody else gets the file meanwhile; then the worker wakes, and works to its end. */
async function stallAndWake(rig: Rig, child: Child): Promise<void> {
  await pause(stallMs);
  const refused = await rig.start({ mode: 'hold' }).next('refused');
  expect(refused.code).toBe('store.held');
  expect(refused.message).toContain(`process ${child.process.pid ?? 0}`);
  child.process.kill('SIGCONT');
  await child.next('finished');
  // Whoever was told that it is still under way asks once more.
  await rig.finish();
}

it('FW12 a worker stalled between dispatch and send wakes after its lease → it sends nothing under the old dispatch', async () => {
  const rig = await openWith();
  const child = rig.start({
    mode: 'finish',
    again: [1],
    callers: 1,
    at: { point: 'dispatched', nth: 1, signal: 'SIGSTOP' },
  });
  await child.next('reached');
  await stallAndWake(rig, child);
  expect(stateOf(rig, 1)).toBe('succeeded');
  expect(rig.provider.arrivals.map(({ request }) => request.attempt)).toEqual([2]);
  await expectSound(rig, 1);
}, 60_000);

it('FW12 a worker stalled while its request is under way wakes after its lease → one effect, found', async () => {
  let stop = (): void => undefined;
  const rig = await openWith({
    fault: () => slow(100),
    onArrival: () => {
      stop();
    },
  });
  const child = rig.start({ mode: 'finish', again: [1], callers: 1 });
  const stopped = new Promise<void>((resolve) => {
    stop = () => {
      child.process.kill('SIGSTOP');
      resolve();
    };
  });
  await stopped;
  stop = () => undefined;
  await stallAndWake(rig, child);
  expect(stateOf(rig, 1)).toBe('succeeded');
  expect(rig.provider.arrivals).toHaveLength(1);
  await expectSound(rig, 1);
}, 60_000);
