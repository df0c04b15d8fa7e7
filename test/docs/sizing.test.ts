// What docs/sizing.md says an action costs is what one costs: counted over stores and logs in memory.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { encodersAsAvro } from '@action-ledger/avro';
import { encodersAsJson } from '@action-ledger/projector';
import { payActions, type Way, ways } from '../sizing/actions.ts';
import { recordBytes } from '../sizing/record-bytes.ts';

const page = readFileSync(join(__dirname, '../../docs/sizing.md'), 'utf8');
const count = 10;

/** The numbers in the row that begins so. */
function row(begin: string): readonly number[] {
  const line = page.split('\n').find((each) => each.startsWith(`| ${begin} `));
  const cells = (line ?? '').split('|').slice(2, -1);
  return cells.map((cell) => Number(cell.replaceAll(',', '')));
}

/** Ids and times have one length, numbers have not: 2 of 100 is near enough. */
function expectRow(begin: string, totals: readonly number[]): void {
  const written = row(begin);
  const measured = totals.map((total) => total / count);
  expect([begin, written.length]).toEqual([begin, measured.length]);
  for (const [index, value] of measured.entries())
    expect([begin, measured, Math.abs((written[index] ?? 0) / value - 1) <= 0.02]).toEqual([
      begin,
      measured,
      true,
    ]);
}

describe('an action costs what docs/sizing.md says', () => {
  it.each(ways)('%s', async (way: Way) => {
    const { events, appends } = await payActions(way, count);
    const streams = new Set(events.map(({ stream }) => stream)).size;
    const texts = events.reduce((sum, { data, metadata }) => sum + (data + metadata).length, 0);
    const names = events.reduce(
      (sum, { id, type, stream }) => sum + (id + type + stream).length,
      0,
    );
    expectRow(way, [streams, events.length, appends, texts, names]);
    for (const [format, encode] of [
      ['Avro', encodersAsAvro()],
      ['JSON', encodersAsJson],
    ] as const) {
      const { events: told, states } = await recordBytes(events, encode);
      const bytes = [told.values, told.headers, states.values, states.headers];
      expectRow(`${way}, ${format}`, [told.records, ...bytes]);
    }
  });
});
