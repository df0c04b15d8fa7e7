import { beforeEach, describe, expect, it } from '@jest/globals';
import { createKillGate, type KillGate } from './kill-gate.ts';

let deaths = 0;
let gate: KillGate;
/** What has gone on so far, in order. */
let seen: string[] = [];

beforeEach(() => {
  deaths = 0;
  seen = [];
  gate = createKillGate(() => {
    deaths += 1;
  });
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function enter(run: string): void {
  void gate.enter(run).then(() => seen.push(`${run} begins`));
}

function standStill(run: string): void {
  void gate.standStill(run).then(() => seen.push(`${run} goes on`));
}

describe('a run that has come to its point', () => {
  it('dies at once where it is alone', async () => {
    enter('a');
    await turn();
    void gate.dieHere('a');
    expect(deaths).toBe(1);
  });

  it('waits for the runs under way, and nothing new begins meanwhile', async () => {
    enter('a');
    enter('b');
    await turn();
    void gate.dieHere('a');
    enter('c');
    await turn();
    expect({ deaths, seen }).toEqual({ deaths: 0, seen: ['a begins', 'b begins'] });
    gate.leave('b');
    expect(deaths).toBe(1);
  });

  it('dies together with another that has come to its own', async () => {
    enter('a');
    enter('b');
    await turn();
    void gate.dieHere('a');
    void gate.dieHere('b');
    expect(deaths).toBe(1);
  });

  it('waits for both deliveries of a run', async () => {
    enter('a');
    enter('b');
    enter('b');
    await turn();
    void gate.dieHere('a');
    gate.leave('b');
    expect(deaths).toBe(0);
    gate.leave('b');
    expect(deaths).toBe(1);
  });

  it('lets a run under way deliver its call once more', async () => {
    enter('a');
    enter('b');
    await turn();
    void gate.dieHere('a');
    enter('b');
    await turn();
    expect(seen).toEqual(['a begins', 'b begins', 'b begins']);
  });
});

describe('a run that needs the others to stand still', () => {
  it('goes on when they have left, and they begin again after it', async () => {
    enter('a');
    enter('b');
    await turn();
    standStill('a');
    enter('c');
    await turn();
    expect(seen).toEqual(['a begins', 'b begins']);
    gate.leave('b');
    await turn();
    expect(seen).toEqual(['a begins', 'b begins', 'a goes on']);
    gate.leave('a');
    await turn();
    expect(seen).toEqual(['a begins', 'b begins', 'a goes on', 'c begins']);
    expect(deaths).toBe(0);
  });

  it('goes on one after the other where several do', async () => {
    enter('a');
    enter('b');
    await turn();
    standStill('a');
    standStill('b');
    await turn();
    expect(seen.slice(2)).toEqual(['a goes on']);
    standStill('a');
    await turn();
    expect(seen.slice(2)).toEqual(['a goes on', 'a goes on']);
    gate.leave('a');
    await turn();
    expect(seen.slice(4)).toEqual(['b goes on']);
  });

  it('is no hindrance to one that dies', async () => {
    enter('a');
    enter('b');
    await turn();
    standStill('a');
    void gate.dieHere('b');
    await turn();
    expect({ deaths, seen: seen.slice(2) }).toEqual({ deaths: 1, seen: [] });
  });

  it('may die at a point on its way', async () => {
    enter('a');
    enter('b');
    await turn();
    standStill('a');
    standStill('b');
    await turn();
    void gate.dieHere('a');
    expect(deaths).toBe(1);
  });
});
