import { describe, expect, it } from '@jest/globals';
import { type LogRecord } from '@action-ledger/event-log';
import { type Arrival, createInbox } from './inbox.ts';

const record = (offset: number): LogRecord => ({
  ...{ topic: 't', partition: 0, key: 'k', value: undefined, headers: {}, timestamp: 0 },
  offset,
});
const arrival = (from: number | undefined, next: number, ...offsets: number[]): Arrival => ({
  from,
  next,
  records: offsets.map(record),
});

describe('what has come for a partition', () => {
  it('is taken in order, and goes on behind what the client has passed over', () => {
    const inbox = createInbox(5);
    expect(inbox.take(10)).toBeUndefined();
    expect(inbox.offer(arrival(5, 9, 5, 7))).toBe(true);
    expect(inbox.offer(arrival(9, 10, 9))).toBe(true);
    expect(inbox.take(2)).toMatchObject({ records: [{ offset: 5 }, { offset: 7 }], next: 8 });
    expect(inbox.take(2)).toMatchObject({ records: [{ offset: 9 }], next: 10 });
    expect(inbox.take(2)).toBeUndefined();
    // A mark of a transaction: no record, and still the place moves on.
    expect(inbox.offer(arrival(undefined, 12))).toBe(true);
    expect(inbox.take(2)).toEqual({ records: [], next: 12 });
    expect(inbox.expected()).toBe(12);
  });

  it('is refused where it was fetched for an earlier assignment, before or behind the place', () => {
    const inbox = createInbox(50);
    expect(inbox.offer(arrival(40, 60, 40, 50, 59))).toBe(false);
    expect(inbox.offer(arrival(80, 91, 80, 90))).toBe(false);
    expect(inbox.offer(arrival(undefined, 91))).toBe(false);
    expect(inbox.take(10)).toBeUndefined();
    expect(inbox.offer(arrival(50, 80, 50, 79))).toBe(true);
    expect(inbox.take(10)).toMatchObject({ records: [{ offset: 50 }, { offset: 79 }], next: 80 });
  });

  it('is believed beyond the place once that was asked for again: what lay between is gone', () => {
    const inbox = createInbox(10);
    expect(inbox.offer(arrival(30, 31, 30))).toBe(false);
    expect(inbox.offer(arrival(30, 31, 30))).toBe(true);
    expect(inbox.expected()).toBe(31);
    // Each place is doubted anew.
    expect(inbox.offer(arrival(40, 41, 40))).toBe(false);
    expect(inbox.offer(arrival(31, 40, 31))).toBe(true);
    expect(inbox.offer(arrival(45, 46, 45))).toBe(false);
  });

  it('begins with marks alone where they come again', () => {
    const inbox = createInbox(0);
    expect(inbox.offer(arrival(undefined, 2))).toBe(false);
    expect(inbox.offer(arrival(undefined, 2))).toBe(true);
    expect(inbox.take(5)).toEqual({ records: [], next: 2 });
    expect(inbox.offer(arrival(undefined, 1))).toBe(true);
    expect(inbox.expected()).toBe(2);
  });
});
