// Archiving over a real file: what is kept, what is given up, what a repeat is answered afterwards, and
// that a run which ended anywhere is completed by the next one.
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ArchivePoint, archiveActions } from '@action-ledger/application';
import { type Answer, createLedger, defineTool, refused, viewsPathOf } from '@action-ledger/client';
import { chainHash, type EventData, sealMetadata, unsealMetadata } from '@action-ledger/domain';
import { openSqliteEventStore } from '@action-ledger/event-store-sqlite';
import { createSystemRuntime, type Runtime } from '@action-ledger/runtime';
import { z } from 'zod';
import { run } from '../run.ts';
import { sha256 } from '../sha256.ts';
import { openArchiveFolder } from './archive-folder.ts';
import { checkArchive } from './check-archive.ts';

const day = 24 * 3_600_000;
const system = createSystemRuntime();
const atDay = (days: number): Runtime => ({
  ...system,
  clock: { ...system.clock, wallMs: () => system.clock.wallMs() + days * day },
});

let folder = '';
let path = '';
let archives = '';
let sent = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'action-ledger-archive-'));
  path = join(folder, 'ledger.db');
  archives = join(folder, 'archives');
  sent = 0;
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const tools = {
  pay: defineTool({
    name: 'pay',
    input: z.object({ invoice: z.string(), note: z.string().optional() }),
    guarantee: 'manual',
    keep: ['outcome.id'],
    execute: ({ arguments: { invoice, note } }) => {
      sent += 1;
      if (invoice === 'bad') return refused('no money');
      if (invoice === 'lost') throw new Error('socket hang up');
      return { id: `p-${invoice}`, receipt: note ?? '' };
    },
  }),
  set: defineTool({
    name: 'set',
    input: z.object({ limit: z.number() }),
    guarantee: 'natural',
    identity: [],
    execute: () => ({ isSet: true }),
  }),
};

const long = 'x'.repeat(20_000);
const invoices = ['a', 'b', 'c', 'bad', 'lost', 'big'];

/** Calls each invoice at a day; a repeat has the same run. */
async function callAll(days: number, names = invoices): Promise<readonly Answer[]> {
  const ledger = await createLedger({ path, tools, runtime: atDay(days) });
  const answers: Answer[] = [];
  for (const invoice of names) {
    const args = invoice === 'big' ? { invoice, note: long } : { invoice };
    answers.push(await ledger.tools.pay.call(args, { run: 'r', call: `c-${invoice}` }));
  }
  await ledger.close();
  return answers;
}

interface Printed {
  readonly code: number;
  readonly text: string;
}

async function cli(args: readonly string[], days = 90): Promise<Printed> {
  let text = '';
  const write = (more: string): void => {
    text += more;
  };
  const code = await run([...args, '--path', path], {
    out: write,
    err: write,
    isTerminal: false,
    isColoured: false,
    columns: undefined,
    env: {},
    runtime: atDay(days),
    version: '0.0.0',
  });
  return { code, text };
}

const archive = (...more: readonly string[]): Promise<Printed> =>
  cli(['archive', '--all', '--before', '30d', '--to', archives, ...more]);

async function verified(): Promise<unknown> {
  const { text } = await cli(['verify', '--archive', archives, '--json']);
  return (JSON.parse(text) as { readonly brokenInvariants: unknown }).brokenInvariants;
}

function eventsIn(printed: string): readonly object[] {
  return (JSON.parse(printed) as { readonly events: readonly object[] }).events;
}

const withoutRepeat = ({ actionId, result, state }: Answer) => ({ actionId, result, state });

describe('archiving', () => {
  it('gives the events up and keeps the answers: a repeat is what it was, and nothing is sent', async () => {
    const first = await callAll(0);
    const sentBefore = sent;
    const { code, text } = await archive('--by', 'ada');
    expect({ code, text }).toMatchObject({
      code: 0,
      text: expect.stringContaining('of 5 actions'),
    });
    expect(text).toContain('Kept whole: 1 open.');
    expect(await verified()).toEqual([]);

    const elsewhere = await cli(['verify', '--archive', folder]);
    expect(elsewhere.text).toMatch(
      / and 4 others +archive-holds +there is no file .*\n\n5 things broken/,
    );
    expect(elsewhere.text).toContain('The ledger itself is whole');

    const repeats = await callAll(91);
    expect(sent).toBe(sentBefore);
    for (const [index, answer] of repeats.entries()) {
      if (invoices[index] === 'big') continue;
      const before = first[index];
      if (before !== undefined) expect(withoutRepeat(answer)).toEqual(withoutRepeat(before));
    }
    const big = repeats[invoices.indexOf('big')];
    expect(big).toMatchObject({ word: 'already-done', result: { id: 'p-big' } });
    expect(JSON.stringify(big?.result).length).toBeLessThan(5_000);
    const { text: listed } = await cli(['actions', 'list', '--json']);
    expect((JSON.parse(listed) as { readonly total: number }).total).toBe(6);
  });

  it('refuses other arguments under a key that is archived, as before', async () => {
    const call = { run: 'r', key: 'k-1' };
    const ledger = await createLedger({ path, tools, runtime: atDay(0) });
    await ledger.tools.pay.call({ invoice: 'a' }, call);
    await ledger.close();
    await archive();
    const again = await createLedger({ path, tools, runtime: atDay(91) });
    const other = await again.tools.pay.call({ invoice: 'b' }, call);
    expect(other).toMatchObject({ word: 'other-arguments' });
    expect(await again.tools.pay.call({ invoice: 'a' }, call)).toMatchObject({
      word: 'already-done',
    });
    expect(sent).toBe(1);
    await again.close();
  });

  it('says what it would do with --dry-run, and writes nothing', async () => {
    await callAll(0);
    const before = readFileSync(path);
    const { text } = await archive('--dry-run');
    expect(text).toContain('5 actions could be archived. Nothing was written.');
    expect(readdirSync(folder)).not.toContain('archives');
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('leaves what has not rested long enough, and does nothing a second time', async () => {
    await callAll(70, ['a']);
    expect((await archive()).text).toContain('Nothing to archive.');
    const soon = await cli(['archive', '--all', '--before', '1s', '--to', archives], 70.1);
    expect(soon.text).toContain('Kept whole: 1 valid for some time yet.');
    expect((await cli(['verify', '--archive', archives])).text).toContain('there is no folder');
    expect((await cli(['archive', '--all', '--before', '10d', '--to', archives])).text).toContain(
      '1 action',
    );
    const files = readdirSync(archives);
    expect((await cli(['archive', '--all', '--before', '10d', '--to', archives])).text).toContain(
      'Nothing to archive.',
    );
    expect(readdirSync(archives)).toEqual(files);
  });

  it('passes over what would take as much room as before, unless it is told otherwise', async () => {
    await callAll(0, ['a', 'big']);
    const { text } = await cli(['archive', '--before', '30d', '--to', archives]);
    expect(text).toContain('of 1 action in');
    expect(text).toContain('Kept whole: 1 too small.');
  });

  it('makes the file smaller with --compact', async () => {
    await callAll(0, ['big', ...Array.from({ length: 40 }, (_, n) => `i-${n}`)]);
    const before = statSync(path).size;
    expect((await archive('--compact')).text).toMatch(/The file took \d+ kB, and takes \d+ kB now/);
    expect(statSync(path).size).toBeLessThan(before);
    expect(await verified()).toEqual([]);
  });

  it('is read again from the files: events, states, arguments and results', async () => {
    const answers = await callAll(0);
    const big = answers[invoices.indexOf('big')]?.actionId ?? '';
    const whole = (await cli(['replay', big, '--json'])).text;
    await archive();
    const shown = (await cli(['actions', 'show', big])).text;
    expect(shown).toMatch(/archived +at .*revisions up to \d+ are in\s+archive-.*\.ndjson/);
    expect(shown).not.toContain(long);
    expect((await cli(['actions', 'show', big, '--archive', archives, '--json'])).text).toContain(
      long,
    );
    const again = (await cli(['replay', big, '--archive', archives, '--json'])).text;
    expect(eventsIn(again).slice(0, -1)).toEqual(eventsIn(whole));
    expect(eventsIn(again).at(-1)).toMatchObject({ type: 'ActionArchived', by: 'operator' });
    expect((await cli(['replay', big])).text).toContain('ActionArchived');
  });

  it('says of an earlier time what of it is archived', async () => {
    const [answer] = await callAll(0, ['a', 'b']);
    await archive();
    const until = new Date(atDay(1).clock.wallMs()).toISOString();
    expect((await cli(['replay', '--until', until])).text).toContain(
      '2 actions more had been planned then and archived since',
    );
    const one = ['replay', answer?.actionId ?? '', '--archive', archives, '--until', until];
    expect((await cli(one)).text).toContain('4 events; 1 event came after');
  });

  it('has views that can be made anew, and then say the same', async () => {
    await callAll(0);
    await archive();
    await callAll(91, []);
    const before = (await cli(['actions', 'list', '--json'])).text;
    for (const end of ['', '-wal', '-shm']) rmSync(`${viewsPathOf(path)}${end}`, { force: true });
    await callAll(92, []);
    expect((await cli(['actions', 'list', '--json'])).text).toBe(before);
    expect(await verified()).toEqual([]);
  });

  it('goes with a backup: what was archived before it is restored as it is, what came later is whole', async () => {
    const first = await callAll(0, ['a']);
    await archive();
    await callAll(1, ['b']);
    const copy = join(folder, 'backup.db');
    expect((await cli(['backup', '--to', copy])).code).toBe(0);
    await archive();
    expect((await cli(['restore', '--from', copy])).code).toBe(0);
    expect((await cli(['recover', '--confirm', '--by', 'ada', '--reason', 'test'])).code).toBe(0);
    expect(await verified()).toEqual([]);
    const sentBefore = sent;
    const repeats = await callAll(95, ['a', 'b']);
    expect(sent).toBe(sentBefore);
    expect(repeats[0]?.result).toEqual(first[0]?.result);
    await cli(['archive', '--all', '--before', '1d', '--to', archives], 99);
    expect(await verified()).toEqual([]);
  });
});

describe('a damaged archive', () => {
  const only = (): string => join(archives, readdirSync(archives)[0] ?? '');

  it.each([
    ['edited', (text: string) => text.replace('"invoice":"a"', '"invoice":"z"')],
    ['short', (text: string) => text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1)],
    ['garbled', () => 'no lines\n'],
  ])('that is %s is named by verify, and shown to nobody', async (_, change) => {
    const [answer] = await callAll(0, ['a', 'b']);
    await archive();
    writeFileSync(only(), change(readFileSync(only(), 'utf8')));
    const found = (await verified()) as readonly object[];
    expect(found).toHaveLength(2);
    expect(found[0]).toMatchObject({ invariant: 'archive-holds' });
    const replayed = await cli(['replay', answer?.actionId ?? '', '--archive', archives]);
    expect(replayed).toMatchObject({ code: 1, text: expect.stringContaining('cannot be shown') });
  });

  it('under a name made to fit is found by the chain', async () => {
    await callAll(0, ['a']);
    await archive();
    const text = readFileSync(only(), 'utf8').replace('"invoice":"a"', '"invoice":"z"');
    const forged = join(
      archives,
      await openArchiveFolder(archives).write(text.trim().split('\n'), '2026-01-01'),
    );
    const name = readdirSync(archives).find((each) => !forged.endsWith(each)) ?? '';
    // The ledger names the other one: only that counts.
    expect(await verified()).toEqual([]);
    rmSync(join(archives, name));
    expect(await verified()).toMatchObject([{ detail: `there is no file ${name}` }]);
  });
});

describe('an action that was archived twice', () => {
  /** A call that joins it later is on record. */
  async function setLimit(days: number): Promise<void> {
    const ledger = await createLedger({ path, tools, runtime: atDay(days) });
    await ledger.tools.set.call({ limit: 5 }, { run: 'r', call: `c-${days}` });
    await ledger.close();
  }

  it('is looked for in every file down to its first event', async () => {
    const folders = [join(folder, 'first'), join(folder, 'second')];
    for (const [index, to] of folders.entries()) {
      await setLimit(index * 90);
      await cli(['archive', '--all', '--before', '30d', '--to', to], index * 90 + 60);
      cpSync(to, archives, { recursive: true });
    }
    expect(readdirSync(archives)).toHaveLength(2);
    expect(await verified()).toEqual([]);
    const [name = ''] = readdirSync(folders[0] ?? '');
    rmSync(join(archives, name));
    expect(await verified()).toMatchObject([{ detail: `there is no file ${name}` }]);
  });
});

describe('a marker that says something else than its file', () => {
  it('is told, though it is hashed anew', async () => {
    await callAll(0, ['big']);
    await archive();
    const store = await openSqliteEventStore({ path, runtime: atDay(90), readOnly: true });
    const events = (await store.readAll({ after: 0, max: 100 })).map((event) => {
      if (event.type !== 'ActionArchived') return event;
      const data = JSON.parse(event.data) as EventData['ActionArchived'];
      Object.assign(data.state, { calls: [], outcome: { ...data.state.outcome, externalId: 'x' } });
      const { metadata } = unsealMetadata(event.metadata) ?? { metadata: '' };
      const forged = { ...event, data: JSON.stringify(data), metadata };
      const hash = chainHash(sha256, data.previousHash, forged);
      return { ...forged, metadata: sealMetadata(metadata, hash) };
    });
    const read = { head: () => store.head(), readAll: async () => events };
    expect(await checkArchive(read, archives)).toMatchObject([
      {
        invariant: 'archive-holds',
        detail: expect.stringContaining('another calls, outcome than'),
      },
    ]);
    await store.close();
  });
});

describe('a run that ends early', () => {
  const points: readonly ArchivePoint[] = ['file written', 'action archived', 'stream cut'];

  it.each(points)('at "%s" is completed by the next one', async (point) => {
    const first = await callAll(0, ['a', 'b', 'c']);
    const store = await openSqliteEventStore({ path, runtime: atDay(90) });
    let met = 0;
    const dies = archiveActions(
      {
        store,
        runtime: atDay(90),
        sha256,
        folder: openArchiveFolder(archives),
        onPoint: (at) => {
          if (at === point && (met += 1) === 1) throw new Error('killed');
        },
      },
      { settledBefore: atDay(60).clock.wallMs(), by: 'ada', all: true },
    );
    await expect(dies).rejects.toThrow('killed');
    await store.close();
    expect(await verified()).toEqual([]);
    expect(await callAll(90, ['a', 'b', 'c'])).toMatchObject(first.map(withoutRepeat));

    expect((await cli(['archive', '--all', '--before', '30d', '--to', archives])).code).toBe(0);
    expect(await verified()).toEqual([]);
    const after = await openSqliteEventStore({ path, runtime: atDay(90), readOnly: true });
    for (const { actionId = '' } of first)
      expect((await after.readStream(`action-${actionId}`)).map(({ type }) => type)).toEqual([
        'ActionArchived',
      ]);
    await after.close();
    expect(sent).toBe(3);
  });

  it('leaves whole what it cannot find in a file any more', async () => {
    await callAll(0, ['a']);
    const store = await openSqliteEventStore({ path, runtime: atDay(90) });
    const dies = archiveActions(
      {
        store,
        runtime: atDay(90),
        sha256,
        folder: openArchiveFolder(archives),
        onPoint: (at) => {
          if (at === 'action archived') throw new Error('killed');
        },
      },
      { settledBefore: atDay(60).clock.wallMs(), by: 'ada', all: true },
    );
    await expect(dies).rejects.toThrow('killed');
    await store.close();
    rmSync(archives, { recursive: true });
    expect((await archive()).text).toContain('1 archive missing');
    const after = await openSqliteEventStore({ path, runtime: atDay(90), readOnly: true });
    expect((await after.readAll({ after: 0, max: 100 })).length).toBeGreaterThan(4);
    await after.close();
  });
});
