// Commands that read a ledger's file: beside the process that writes it, and alone.
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { parseActionId } from '@action-ledger/domain';
import { run } from '@action-ledger/cli';
import { createSystemRuntime } from '@action-ledger/runtime';
import { type Finished, type Folder, runCli, temporaryFolder } from './run-cli.ts';
import { openSample, type Sample } from './sample-ledger.ts';

// Every call starts a process; on a busy machine that takes seconds.
jest.setTimeout(60_000);

let folder: Folder;
let path: string;
let sample: Sample;

beforeAll(async () => {
  folder = temporaryFolder();
  path = folder.file('ledger.db');
  sample = await openSample(path);
});

afterAll(async () => {
  await sample.ledger.close();
  folder.remove();
});

/** In this process, which costs no start: that the real command says the same is a test of its own. */
async function here(args: readonly string[], columns?: number): Promise<Finished> {
  let out = '';
  let err = '';
  const code = await run(args, {
    out: (text) => (out += text),
    err: (text) => (err += text),
    isTerminal: columns !== undefined,
    isColoured: false,
    columns,
    env: {},
    runtime: createSystemRuntime(),
    version: '0.0.0',
  });
  return { code, signal: null, out, err };
}

type Run = (args: readonly string[]) => Promise<Finished>;

async function json<Shape>(
  args: readonly string[],
  by: Run = (line) => here(line),
): Promise<Shape> {
  const { code, out, err } = await by([...args, '--path', path, '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as Shape;
}

async function text(args: readonly string[], by: Run = (line) => here(line)): Promise<string> {
  const { code, out, err } = await by([...args, '--path', path]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
}

const short = (actionId: string): string =>
  `${actionId.slice(0, 10)}.${actionId.split('.')[1] ?? ''}`;

interface Listed {
  readonly total: number;
  readonly actions: readonly { readonly action: string; readonly status: string }[];
}

describe('actions list', () => {
  it('lists the newest first', async () => {
    const { total, actions } = await json<Listed>(['actions', 'list']);
    expect(total).toBe(7);
    expect(actions.map(({ status }) => status)).toEqual([
      'succeeded',
      'succeeded',
      'awaiting_approval',
      'unknown',
      'succeeded',
      'failed',
      'succeeded',
    ]);
  });

  it.each([
    [['--status', 'unknown'], 1],
    [['--tool', 'refund'], 3],
    [['--run', 'run-3'], 2],
    [['--tenant', 'nobody'], 0],
    [['--tool', 'refund', '--status', 'failed'], 1],
  ])('keeps to %j', async (filter, total) => {
    expect((await json<Listed>(['actions', 'list', ...filter])).total).toBe(total);
  });

  it('keeps to the limit and says how many there are', async () => {
    const { total, actions } = await json<Listed>(['actions', 'list', '--limit', '2']);
    expect([total, actions.length]).toEqual([7, 2]);
    expect(await text(['actions', 'list', '--limit', '2'])).toContain('2 of 7 actions');
  });

  it('shows a table with who looks after what is open', async () => {
    const table = await text(['actions', 'list']);
    expect(table).toMatch(/^ACTION +TOOL +STATUS +RUN +TRIES +PLANNED \(UTC\) +NOTE\n/);
    expect(table).toMatch(/send_letter +unknown .*operator, next check/);
    expect(table).toMatch(/transfer +awaiting_approval .*0 of 2 votes/);
    expect(table).toMatch(/book_room +succeeded \(undone\)/);
    expect(table).toContain(`7 actions in ${path}.`);
  });

  it('says so where nothing fits', async () => {
    expect(await text(['actions', 'list', '--tool', 'none'])).toBe(
      `Nothing fits; ${path} holds 7 actions.\n`,
    );
  });
});

describe('actions show', () => {
  it('shows an action by the beginning of its id', async () => {
    const { id, status, promise } = await json<Record<string, unknown>>([
      'actions',
      'show',
      short(sample.ids.unknown),
    ]);
    expect([id, status]).toEqual([sample.ids.unknown, 'unknown']);
    expect(promise).toContain('waits for an operator');
  });

  it('shows state, guarantee, attempts, doubt and owner, and no escape sequence', async () => {
    const page = await text(['actions', 'show', sample.ids.unknown]);
    expect(page).toMatch(/^status +unknown since/m);
    expect(page).toMatch(/^guarantee +manual: at most one effect/m);
    expect(page).toMatch(/^attempts +1: in doubt, unanswered/m);
    expect(page).toMatch(/^owner +operator, next check/m);
    expect(page).not.toContain('\u001b');
  });

  it('shows who undid an action, and what a vote needs', async () => {
    expect(await text(['actions', 'show', sample.ids.undone])).toMatch(
      /^undone by +[\w-]{10}\.0$/m,
    );
    expect(await text(['actions', 'show', sample.ids.waiting])).toMatch(/^approval +2 needed/m);
  });

  it('finds ids that begin with a dash', async () => {
    const { code, err } = await here(['actions', 'show', `-${'a'.repeat(42)}.0`, '--path', path]);
    expect(code).toBe(1);
    expect(err).toContain('there is no action');
  });

  it('names the candidates of an ambiguous beginning', async () => {
    const { keyHash = '' } = parseActionId(sample.ids.refused) ?? {};
    const { code, err } = await here(['actions', 'show', keyHash.slice(0, 8), '--path', path]);
    expect(code).toBe(1);
    expect(err).toContain(`${short(sample.ids.refused)}, ${short(sample.ids.corrected)}`);
    expect(err).toContain('fix: type more of it');
  });
});

interface Replayed {
  readonly stream: string;
  readonly events: readonly {
    readonly revision: number;
    readonly type: string;
    readonly at: number;
    readonly action?: { readonly status: string; readonly revision: number };
  }[];
}

describe('replay', () => {
  it('gives the state after every event', async () => {
    const { events } = await json<Replayed>(['replay', sample.ids.unknown]);
    expect(events.map(({ type, action }) => [type, action?.status])).toEqual([
      ['ActionPlanned', 'ready'],
      ['ActionClaimed', 'claimed'],
      ['ActionDispatched', 'dispatched'],
      ['ActionOutcomeUnknown', 'unknown'],
    ]);
    expect(events.map(({ action }) => action?.revision)).toEqual([0, 1, 2, 3]);
  });

  it('shows a line per event', async () => {
    const page = await text(['replay', short(sample.ids.refused)]);
    expect(page).toMatch(/REV +TIME \(UTC\) +EVENT +WHAT IT SAYS +STATE AFTER/);
    expect(page).toMatch(/3 +[\d:.]+ +ActionFailed +attempt 1: nothing to refund +failed/);
    expect(page).toContain('4 events.');
  });

  it('reads the stream of a tool', async () => {
    const { stream, events } = await json<Replayed>(['replay', 'tool-refund']);
    expect([stream, events[0]?.type]).toEqual(['tool-refund', 'ToolRegistered']);
    expect(await text(['replay', 'tool-refund'])).toContain('ToolRegistered');
  });

  it('stops at a time', async () => {
    const all = await json<Replayed>(['replay', sample.ids.unknown]);
    const planned = all.events[0]?.at ?? 0;
    const until = new Date(planned - 1).toISOString();
    expect((await json<Replayed>(['replay', sample.ids.unknown, '--until', until])).events).toEqual(
      [],
    );
  });

  it('shows the whole ledger as it stood at a time', async () => {
    const { events } = await json<Replayed>(['replay', sample.ids.waiting]);
    const until = String((events[0]?.at ?? 0) - 1);
    const then = await json<Listed>(['replay', '--until', until]);
    expect(then.actions.map(({ action }) => action)).not.toContain(sample.ids.waiting);
    expect(then.actions.map(({ action }) => action)).toContain(sample.ids.refund);
    expect(await text(['replay', '--until', '2020-01-01'])).toContain('held no action');
  });
});

describe('explain', () => {
  const tools = ['--tools', `${__dirname}/explain-tools.mjs`, '--tool', 'refund'];

  it('says which action a call meets, and what follows', async () => {
    const args = ['--args', '{"order": "A-17", "amount": "30.00"}'];
    const from = ['--run', 'run-1', '--call', 'call_9'];
    const page = await text(['explain', ...tools, ...from, ...args], runCli);
    expect(page).toMatch(/^identity +what the action is:\n +order = "A-17"$/m);
    expect(page).toMatch(/^meets +[\w-]{10}\.0 +succeeded, other arguments/m);
    expect(page).toMatch(/^follows +refused: .*what differs: amount$/m);
  });

  it('finds the recorded action of the same arguments by its hashes', async () => {
    const args = ['--args', '{"order": "A-17", "amount": "25.00", "note": "worded otherwise"}'];
    const from = ['--run', 'run-1', '--call', 'call_1'];
    const explained = await json<Record<string, unknown>>(
      ['explain', ...tools, ...from, ...args],
      runCli,
    );
    expect(explained).toMatchObject({
      keyHash: parseActionId(sample.ids.refund)?.keyHash,
      epochs: [{ action: sample.ids.refund, sameArguments: true }],
      meeting: { kind: 'answer', as: 'duplicate' },
    });
  });

  it.each([
    ['--args {"order":1', ['--args', '{"order":1'], 2],
    ['wrong arguments', ['--args', '{"order": 1}'], 1],
    ['no run', ['--args', '{"order": "A", "amount": "1.00"}'], 1],
  ])('refuses %s', async (_, args, code) => {
    const ended = await runCli(['explain', ...tools, ...args, '--path', path]);
    expect(ended.code).toBe(code);
    expect(ended.err).toMatch(/^action-ledger: /);
  });
});

describe('doctor', () => {
  it('names the process that holds the file', async () => {
    const { ok, checks } = await json<{
      readonly ok: boolean;
      readonly checks: readonly { readonly check: string; readonly says: string }[];
    }>(['doctor']);
    expect(ok).toBe(true);
    expect(checks.find(({ check }) => check === 'holder')?.says).toContain(
      `process ${process.pid}`,
    );
    expect(checks.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['Node', 'file', 'condition', 'chain', 'sync time', 'clock']),
    );
  });
});

describe('verify', () => {
  it('finds nothing while the ledger runs', async () => {
    const found = await json<Record<string, unknown>>(['verify']);
    expect(Object.keys(found)).toEqual(['streams', 'events', 'brokenInvariants', 'observed']);
    expect(found['brokenInvariants']).toEqual([]);
    expect(await text(['verify'])).toMatch(/^Whole: /);
  });
});

describe('in a terminal', () => {
  const pages = [
    ['actions', 'list'],
    ['actions', 'show', 'UNKNOWN'],
    ['replay', 'UNKNOWN'],
    ['replay', 'tool-refund'],
    ['replay', '--until', '2100-01-01'],
    ['verify'],
    ['doctor'],
    ['--help'],
    ['explain', '--help'],
  ];

  it.each([80, 120].flatMap((columns) => pages.map((page) => [columns, page] as const)))(
    'of %i columns, %j fits',
    async (columns, page) => {
      const named = page.map((arg) => (arg === 'UNKNOWN' ? sample.ids.unknown : arg));
      const args = page.includes('--help') ? named : [...named, '--path', path];
      const { out } = await here(args, columns);
      const lines = out.split('\n').filter((line) => !line.includes(path) && !isExample(line));
      expect(lines.filter((line) => line.length > columns)).toEqual([]);
    },
  );

  /** To be copied whole. */
  const isExample = (line: string): boolean => line.startsWith('  action-ledger ');
});

describe('the real command, in a process beside the one that writes', () => {
  it.each([
    [['actions', 'list']],
    [['actions', 'list', '--json']],
    [['actions', 'show', 'UNKNOWN']],
    [['replay', 'UNKNOWN']],
    [['replay', '--until', '2100-01-01']],
    [['verify', '--json']],
  ])('says the same for %j', async (args) => {
    const named = args.map((arg) => (arg === 'UNKNOWN' ? sample.ids.unknown : arg));
    expect(await runCli([...named, '--path', path])).toEqual(
      await here([...named, '--path', path]),
    );
  });
});
