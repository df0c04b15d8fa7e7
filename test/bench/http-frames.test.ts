import { describe, expect, it } from '@jest/globals';
import { createFrameReader, type Frame, header, writeFrame } from './http-frames.ts';

const request = writeFrame('POST /effects HTTP/1.1', ['idempotency-key: k1'], '{"a":1}');
const answer = writeFrame('HTTP/1.1 200 OK', [], '');

function read(chunks: readonly string[]): Frame[] {
  const frames: Frame[] = [];
  const feed = createFrameReader((frame) => frames.push(frame));
  chunks.forEach(feed);
  return frames;
}

describe('createFrameReader', () => {
  const both = [
    expect.objectContaining({ body: '{"a":1}' }),
    expect.objectContaining({ body: '' }),
  ];
  it.each([
    ['whole', [request, answer]],
    ['in one chunk', [request + answer]],
    ['byte by byte', Array.from(request + answer)],
  ])('finds both messages when they arrive %s', (_, chunks) => {
    expect(read(chunks)).toEqual(both);
  });

  it('waits for the rest of a body', () => {
    expect(read([request.slice(0, -1)])).toEqual([]);
  });
});

describe('header', () => {
  it('finds a header in the middle and at the end, and none that is missing', () => {
    const [frame] = read([request]);
    expect(header(frame?.head ?? '', 'idempotency-key')).toBe('k1');
    expect(header(frame?.head ?? '', 'content-length')).toBe('7');
    expect(header(frame?.head ?? '', 'retry-after')).toBeUndefined();
  });
});
