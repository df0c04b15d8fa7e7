// `action-ledger demo`, as a newcomer runs it.
import { readdirSync } from 'node:fs';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { type Finished, type Folder, runCli, temporaryFolder } from './run-cli.ts';

// Every call starts a process; on a busy machine that takes seconds.
jest.setTimeout(60_000);

interface Demo {
  readonly ok: boolean;
  readonly seconds: number;
  readonly effects: Readonly<Record<'wanted' | 'counted' | 'withoutLedger', number>>;
  readonly cases: readonly {
    readonly title: string;
    readonly ok: boolean;
    readonly steps: readonly { readonly happened: string; readonly answered?: string }[];
    readonly effects: Demo['effects'];
  }[];
}

const folders: Folder[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

/** With folders of its own for everything that a program may write to. */
async function demo(...args: readonly string[]): Promise<Finished & { readonly left: string[] }> {
  const folder = temporaryFolder();
  folders.push(folder);
  const env = { HOME: folder.path, TMPDIR: folder.path, XDG_CACHE_HOME: folder.path };
  const ended = await runCli(['demo', ...args], { cwd: folder.path, env });
  return { ...ended, left: readdirSync(folder.path) };
}

describe('action-ledger demo', () => {
  it('plays at least ten cases, counts each as wanted, and leaves nothing behind', async () => {
    const { code, out, err, left } = await demo('--json');
    const { ok, cases, effects } = JSON.parse(out) as Demo;
    expect({ code, err, left, ok }).toEqual({ code: 0, err: '', left: [], ok: true });
    expect(cases.length).toBeGreaterThanOrEqual(10);
    for (const each of cases) {
      expect(each.ok).toBe(true);
      expect(each.effects.counted).toBe(each.effects.wanted);
      expect(each.steps.some(({ answered }) => answered !== undefined)).toBe(true);
    }
    expect(effects.counted).toBe(effects.wanted);
    expect(effects.withoutLedger).toBeGreaterThan(effects.wanted + 10);
  });

  it('counts the same every time', async () => {
    const counts = async (): Promise<unknown> =>
      (JSON.parse((await demo('--json')).out) as Demo).cases.map(({ title, effects }) => [
        title,
        effects,
      ]);
    expect(await counts()).toEqual(await counts());
  });

  it('shows a card per case, without colour in a pipe', async () => {
    const { code, out } = await demo();
    expect(code).toBe(0);
    expect(out).toContain(' 1  The model asks again in a later turn');
    expect(out).toContain('→ Already done earlier');
    expect(out).toMatch(/\d+ cases, each as wanted\./);
    expect(out).not.toContain('\u001b');
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(110);
  });
});
