import { describe, expect, it } from '@jest/globals';
import { traceContextOf } from './trace-context.ts';

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = '00f067aa0ba902b7';
const traceparent = `00-${trace}-${parent}-01`;

describe('a trace context', () => {
  it.each([traceparent, `00-${trace}-${parent}-00`, `cc-${trace}-${parent}-01-what.comes-later`])(
    'is taken: %s',
    (text) => {
      expect(traceContextOf(text)).toEqual({ traceparent: text });
    },
  );

  it.each([
    undefined,
    7,
    '',
    traceparent.toUpperCase(),
    ` ${traceparent}`,
    `${traceparent}\r\nx: y`,
    `${traceparent}-more`,
    `ff-${trace}-${parent}-01`,
    `00-${'0'.repeat(32)}-${parent}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace}-${parent}`,
    `00-${trace.slice(1)}-${parent}-01`,
    `cc-${trace}-${parent}-01-${'x'.repeat(600)}`,
  ])('is ignored where it does not hold: %j', (text) => {
    expect(traceContextOf(text, 'a=1')).toBeUndefined();
  });

  it.each([
    ['a=1', 'a=1'],
    ['rojo=00f067aa0ba902b7 , congo=t61rcWkgMzE', 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'],
    ['1tenant@vendor=x y,,b=2', '1tenant@vendor=x y,b=2'],
  ])('keeps its state: %j', (state, kept) => {
    expect(traceContextOf(traceparent, state)).toEqual({ traceparent, tracestate: kept });
  });

  it.each([
    '',
    'a',
    'A=1',
    'a=1,a=2',
    'a=ü',
    'a=1\n',
    'a==',
    Array.from({ length: 33 }, (_, at) => `a${at}=1`).join(),
    `a=${'x'.repeat(513)}`,
    7,
  ])('leaves out a state that does not hold, alone: %j', (state) => {
    expect(traceContextOf(traceparent, state)).toEqual({ traceparent });
  });
});
