import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readRuns, readTrace, type TraceRun } from './read-trace.ts';
import { type TraceLine } from './trace-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'action-ledger-trace-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

let files = 0;

function fileOf(content: string | Buffer, ending = 'ndjson'): string {
  const path = join(folder, `${(files += 1)}.${ending}`);
  writeFileSync(path, content);
  return path;
}

function line(more: Record<string, unknown> = {}): string {
  return JSON.stringify({
    run_id: 'r1',
    seq: 0,
    tool: 'pay',
    kind: 'write',
    arguments: { amount: 1 },
    result: 'paid',
    error: false,
    domain: 'shop',
    turn: 1,
    ...more,
  });
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function linesOf(path: string): Promise<TraceLine[]> {
  return collected(readTrace(path));
}

async function runsOf(path: string): Promise<TraceRun[]> {
  return collected(readRuns(path));
}

describe('readTrace', () => {
  it('reads what a line holds, and passes over what it does not know', async () => {
    const path = fileOf(
      `${line({ call_id: 'call-1', conversation_id: 'c', batch: 3, ts: 'now' })}\n`,
    );
    expect(await linesOf(path)).toEqual([
      {
        run: 'r1',
        conversation: 'c',
        seq: 0,
        tool: 'pay',
        kind: 'write',
        arguments: { amount: 1 },
        result: 'paid',
        error: false,
        domain: 'shop',
        turn: 1,
        batch: 3,
        call: 'call-1',
      },
    ]);
  });

  it('reads the same lines from a gzipped file', async () => {
    const text = [line(), line({ seq: 1, result: null })].join('\n');
    expect(await linesOf(fileOf(gzipSync(text), 'ndjson.gz'))).toEqual(await linesOf(fileOf(text)));
  });

  it('reads CRLF, blank lines, a last line without an end and U+2028 inside a text', async () => {
    const path = fileOf(`${line()}\r\n\n${line({ seq: 1, result: 'one\u2028line' })}`);
    expect((await linesOf(path)).map(({ result }) => result)).toEqual(['paid', 'one\u2028line']);
  });

  it('keeps characters whole across the pieces a file is read in', async () => {
    const text = '€'.repeat(100_000);
    expect((await linesOf(fileOf(line({ result: text }))))[0]?.result).toBe(text);
  });

  it.each([
    ['no JSON', '{"run_id":'],
    ['a missing member', line({ seq: undefined })],
    ['a wrong type', line({ turn: 'one' })],
    ['arguments that are no object', line({ arguments: [1] })],
    ['a member twice', line().replace('"amount":1', '"amount":1,"amount":2')],
    ['an integer that JSON.parse would change', line().replace(':1}', ':2512292042121000001}')],
  ])('names file and line for %s', async (_, bad) => {
    const path = fileOf(`${line()}\n${bad}\n`);
    await expect(linesOf(path)).rejects.toMatchObject({
      code: 'trace.unreadable',
      file: path,
      line: 2,
      message: expect.stringContaining(`${path}:2: `),
    });
  });

  it('says which member of a line is wrong', async () => {
    await expect(linesOf(fileOf(line({ kind: 'maybe' })))).rejects.toThrow(/kind: /);
  });

  it('refuses a missing file, a cut gzip file and text that is not UTF-8', async () => {
    const whole = gzipSync(line({ result: 'x'.repeat(5_000) }));
    await expect(linesOf(join(folder, 'none.ndjson'))).rejects.toThrow('there is no such file');
    await expect(linesOf(fileOf(whole.subarray(0, 40), 'gz'))).rejects.toThrow(/damaged or cut/);
    await expect(linesOf(fileOf(Buffer.from([0x22, 0xff])))).rejects.toThrow('not UTF-8');
  });
});

describe('readRuns', () => {
  it('puts the lines of a run together, in order', async () => {
    const text = [
      line(),
      line({ seq: 1 }),
      line({ run_id: 'r2' }),
      line({ run_id: 'r2', seq: 1 }),
    ].join('\n');
    expect(
      (await runsOf(fileOf(text))).map(({ run, lines }) => [run, lines.map(({ seq }) => seq)]),
    ).toEqual([
      ['r1', [0, 1]],
      ['r2', [0, 1]],
    ]);
  });

  it.each([
    ['a run that comes apart', [line(), line({ run_id: 'r2' }), line({ seq: 1 })], 3],
    ['a run that begins again', [line(), line({ run_id: 'r2' }), line()], 3],
    ['a seq left out', [line(), line({ seq: 2 })], 2],
    ['a run that begins in the middle', [line({ seq: 1 })], 1],
    ['a second domain in a run', [line(), line({ seq: 1, domain: 'bank' })], 2],
  ])('refuses %s', async (_, lines, at) => {
    await expect(runsOf(fileOf(lines.join('\n')))).rejects.toMatchObject({ line: at });
  });
});
