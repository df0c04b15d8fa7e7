// An undoing action races a new proposal of what it undoes, or its mark on the undone one is late.
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { type Guarantee, type JsonObject } from '@action-ledger/domain';
import {
  ackLost,
  declined,
  executeAt,
  type Fault,
  lookUpAt,
  type ProviderPort,
  slow,
} from '@action-ledger/sandbox';
import { type AppendFault } from '@action-ledger/testkit';
import { defineTool, type Tool, type ToolDefinition } from '@action-ledger/tools';
import { day, firstCall, hour, laterCall, minute, second } from './pay.ts';
import { adapters, inWorld, type Process, type World, type WorldOptions } from './world.ts';

const trip = { trip: 'VIE-LIS' };
const undoCall = { run: 'run-1', turn: '1', call: 'call_undo' };

function toolsFor(guarantee: Guarantee): (port: ProviderPort) => readonly Tool[] {
  return (port) => {
    const common = {
      guarantee,
      ...(guarantee === 'idempotent' ? { keyWindow: day } : {}),
      ...(guarantee === 'lookup' ? { lookup: lookUpAt(port) } : {}),
      execute: executeAt(port) as ToolDefinition<JsonObject>['execute'],
    };
    const book = defineTool<JsonObject>({
      ...common,
      name: 'book',
      input: z.object({ trip: z.string() }),
      keep: ['outcome.reservation_id'],
      undoneBy: [
        { tool: 'cancel', match: { 'arguments.reservation_id': 'outcome.reservation_id' } },
      ],
    });
    const cancel = defineTool<JsonObject>({
      ...common,
      name: 'cancel',
      input: z.object({ reservation_id: z.string() }),
    });
    return [book, cancel];
  };
}

function bookings(
  store: WorldOptions['store'],
  guarantee: Guarantee,
  cancelFault?: () => Fault | undefined,
): WorldOptions {
  let booked = 0;
  return {
    store,
    tools: toolsFor(guarantee),
    behaviour: () => (guarantee === 'idempotent' ? { keyWindowMs: day } : {}),
    answer: ({ tool }) => {
      if (tool === 'cancel') return { kind: 'accepted', result: { cancelled: true } };
      booked += 1;
      return { kind: 'accepted', result: { reservation_id: `R${booked}` } };
    },
    fault: ({ tool }) => (tool === 'cancel' ? cancelFault?.() : undefined),
  };
}

function once(fault: Fault): () => Fault | undefined {
  let count = 0;
  return () => {
    count += 1;
    return count === 1 ? fault : undefined;
  };
}

const effects = ({ provider }: World, tool: string): number => provider.effects({ tool }).length;

const undo = { reservation_id: 'R1' };

/** Whoever tries to mark the booking as undone: its undoer, its caller, the call that meets it. */
function failMarks(process: Process, fault: AppendFault): void {
  for (let n = 0; n < 20; n += 1)
    process.script.onAppend(fault, ({ events }) => events[0]?.type === 'ActionUndone');
}

async function book(process: Process): Promise<string> {
  const answer = await process.call(trip, firstCall);
  expect(answer).toMatchObject({ word: 'done', result: { reservation_id: 'R1' } });
  return answer.actionId ?? '';
}

describe.each(adapters)('over %s', (store) => {
  describe.each(['idempotent', 'lookup', 'manual'] as const)('a %s tool', (guarantee) => {
    it('FW26 a redelivery of the first call after the undo → done earlier; a new call → a new epoch', () =>
      inWorld(bookings(store, guarantee), async (world) => {
        const process = await world.start();
        const first = await book(process);
        expect(await process.call(undo, undoCall, 'cancel')).toMatchObject({ word: 'done' });
        expect((await world.action(first)).undoneBy).toBeDefined();
        expect(await process.call(trip, firstCall)).toMatchObject({
          word: 'done-earlier',
          epoch: 0,
        });
        expect(effects(world, 'book')).toBe(1);
        const again = await process.call(trip, laterCall);
        expect(again).toMatchObject({ word: 'done', epoch: 1, result: { reservation_id: 'R2' } });
        expect(await process.call(trip, laterCall)).toMatchObject({
          word: 'already-done',
          epoch: 1,
        });
        expect(await process.call(trip, firstCall)).toMatchObject({ word: 'done-earlier' });
        expect(await process.call(trip, { run: 'run-1' })).toMatchObject({ epoch: 1 });
        expect(effects(world, 'book')).toBe(2);
      }));

    it('FW26 a new call while the undo is under way → planned after it, and goes on when it has succeeded', () =>
      inWorld(
        bookings(store, guarantee, () => slow(10 * second)),
        async (world) => {
          const process = await world.start();
          await book(process);
          const undoing = process.begin(undo, undoCall, 'cancel');
          await world.advance(second);
          const waiting = await process.call(trip, laterCall);
          expect(waiting).toMatchObject({ word: 'in-progress', state: 'planned', epoch: 1 });
          expect(await process.call(trip, firstCall)).toMatchObject({
            word: 'already-done',
            epoch: 0,
          });
          expect(effects(world, 'book')).toBe(1);
          expect(await world.during(undoing)).toMatchObject({ word: 'done' });
          await world.advance(minute);
          expect(await process.call(trip, laterCall)).toMatchObject({
            word: 'already-done',
            epoch: 1,
          });
          expect(effects(world, 'book')).toBe(2);
        },
      ));

    it('FW26 the undo has succeeded and its mark is late → what was planned after it goes on all the same', () =>
      inWorld(
        bookings(store, guarantee, () => slow(10 * second)),
        async (world) => {
          const process = await world.start();
          await book(process);
          let release = (): void => undefined;
          const until = new Promise<void>((resolve) => {
            release = resolve;
          });
          failMarks(process, { kind: 'asked late', until });
          void process.begin(undo, undoCall, 'cancel');
          await world.advance(second);
          const waiting = await process.call(trip, laterCall);
          expect(waiting).toMatchObject({ state: 'planned', epoch: 1 });
          await world.advance(20 * second);
          expect(effects(world, 'cancel')).toBe(1);
          release();
          await world.advance(minute);
          expect((await world.action(waiting.actionId)).status).toBe('succeeded');
          expect(effects(world, 'book')).toBe(2);
        },
      ));

    it('FW26 a new call while the undo is under way, which is then refused → the first one stands', () =>
      inWorld(
        bookings(store, guarantee, () => ({ ...declined('too late'), workMs: 10 * second })),
        async (world) => {
          const process = await world.start();
          const first = await book(process);
          const undoing = process.begin(undo, undoCall, 'cancel');
          await world.advance(second);
          const waiting = await process.call(trip, laterCall);
          expect(waiting).toMatchObject({ word: 'in-progress', epoch: 1 });
          expect(await world.during(undoing)).toMatchObject({ word: 'failed-without-effect' });
          await world.advance(minute);
          expect(await world.action(waiting.actionId)).toMatchObject({
            status: 'cancelled',
            supersededBy: first,
          });
          expect(await process.call(trip, laterCall)).toMatchObject({
            word: 'already-done',
            epoch: 0,
            result: { reservation_id: 'R1' },
          });
          expect(effects(world, 'book')).toBe(1);
        },
      ));

    it('FW26 a new call while nobody knows what became of the undo → waits for it', () =>
      inWorld(bookings(store, guarantee, once(ackLost)), async (world) => {
        const process = await world.start();
        const first = await book(process);
        await process.call(undo, { ...undoCall, waitMs: 1 }, 'cancel');
        const waiting = await process.call(trip, { ...laterCall, waitMs: 1 });
        expect(waiting).toMatchObject({ epoch: 1 });
        await world.advance(10 * minute);
        const isKnown = guarantee !== 'manual';
        expect((await world.action(first)).undoneBy !== undefined).toBe(isKnown);
        expect(effects(world, 'book')).toBe(isKnown ? 2 : 1);
        expect(effects(world, 'cancel')).toBe(1);
      }));

    it('FW26 killed with a new call planned after the undo → the next process goes on with both', () =>
      inWorld(bookings(store, guarantee, once(slow(20 * second))), async (world) => {
        const process = await world.start();
        await book(process);
        void process.begin(undo, undoCall, 'cancel');
        await world.advance(second);
        await process.call(trip, laterCall);
        await world.advance(second);
        const next = await world.restart();
        await world.advance(10 * minute);
        const isKnown = guarantee !== 'manual';
        expect(effects(world, 'book')).toBe(isKnown ? 2 : 1);
        expect(effects(world, 'cancel')).toBe(1);
        expect(await next.call(trip, laterCall)).toMatchObject({
          epoch: 1,
          word: isKnown ? 'already-done' : 'in-progress',
        });
      }));

    it('FW26 killed after the undo is recorded, before its mark → the next process completes it', () =>
      inWorld(bookings(store, guarantee), async (world) => {
        const process = await world.start();
        const first = await book(process);
        failMarks(process, { kind: 'not stored' });
        const undoing = process.begin(undo, undoCall, 'cancel');
        await world.advance(second);
        process.die();
        void undoing;
        expect(await world.action(first)).toMatchObject({ status: 'succeeded' });
        expect((await world.action(first)).undoneBy).toBeUndefined();
        expect(effects(world, 'cancel')).toBe(1);
        const next = await world.restart();
        expect((await world.action(first)).undoneBy).toBeDefined();
        expect(await next.call(undo, undoCall, 'cancel')).toMatchObject({ word: 'already-done' });
        expect(await next.call(trip, firstCall)).toMatchObject({ word: 'done-earlier' });
        expect(await next.call(trip, laterCall)).toMatchObject({ word: 'done', epoch: 1 });
        expect(effects(world, 'cancel')).toBe(1);
      }));

    it('FW26 killed when the mark is made, before the caller is told → the repeat gets it', () =>
      inWorld(bookings(store, guarantee), async (world) => {
        const process = await world.start({ diesAt: 'undo recorded' });
        const first = await book(process);
        void process.begin(undo, undoCall, 'cancel');
        await world.advance(second);
        expect(process.isDead()).toBe(true);
        const next = await world.restart();
        expect(await next.call(undo, undoCall, 'cancel')).toMatchObject({ word: 'already-done' });
        expect(
          (await world.events(first)).filter(({ type }) => type === 'ActionUndone'),
        ).toHaveLength(1);
        expect(effects(world, 'cancel')).toBe(1);
      }));

    it('FW26 a new call between the success of the undo and its mark → a new epoch, not "already done"', () =>
      inWorld(bookings(store, guarantee), async (world) => {
        const process = await world.start();
        const first = await book(process);
        let release = (): void => undefined;
        const until = new Promise<void>((resolve) => {
          release = resolve;
        });
        failMarks(process, { kind: 'asked late', until });
        const undoing = process.begin(undo, undoCall, 'cancel');
        await world.advance(second);
        expect((await world.action(first)).undoneBy).toBeUndefined();
        expect(effects(world, 'cancel')).toBe(1);
        const repeat = process.begin(trip, { ...firstCall, waitMs: hour });
        const again = process.begin(trip, { ...laterCall, waitMs: hour });
        await world.advance(5 * second);
        release();
        expect(await world.during(repeat)).toMatchObject({ word: 'done-earlier', epoch: 0 });
        expect(await world.during(undoing)).toMatchObject({ word: 'done' });
        const answer = await world.during(again);
        expect(answer.word).not.toBe('already-done');
        await world.advance(minute);
        expect(await process.call(trip, laterCall)).toMatchObject({
          word: 'already-done',
          epoch: 1,
        });
        expect(effects(world, 'book')).toBe(2);
      }));

    it('FW26 the mark cannot be written for a while → nobody is told the wrong thing, and it is completed', () =>
      inWorld(bookings(store, guarantee), async (world) => {
        const process = await world.start();
        const first = await book(process);
        failMarks(process, { kind: 'not stored' });
        const undoing = process.begin(undo, { ...undoCall, waitMs: minute }, 'cancel');
        await world.advance(2 * second);
        const again = await process.call(trip, { ...laterCall, waitMs: second });
        expect(again.word).not.toBe('already-done');
        await world.advance(5 * minute);
        await world.during(undoing);
        expect((await world.action(first)).undoneBy).toBeDefined();
        expect(await process.call(trip, firstCall)).toMatchObject({ word: 'done-earlier' });
        expect(await process.call(trip, { ...laterCall, waitMs: hour })).toMatchObject({
          epoch: 1,
        });
        expect(effects(world, 'book')).toBe(2);
        expect(effects(world, 'cancel')).toBe(1);
      }));
  });
});
