// What a program does wrong with a ledger is told by one error with a code, never by one from inside.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { createLedger, defineTool, LedgerError } from './index.ts';

const pay = defineTool({
  name: 'pay',
  input: z.object({ invoice: z.string() }),
  guarantee: 'manual',
  execute: () => ({ paid: true }),
});

describe('options that are wrong', () => {
  it.each<[unknown, string]>([
    [undefined, 'createLedger needs options'],
    [null, 'createLedger needs options'],
    [{}, '`tools` must be a list of tools or an object of them'],
    [{ tools: 5 }, '`tools` must be'],
    [{ tools: null }, '`tools` must be'],
    [{ tools: [pay, 5] }, '`tools[1]` is no tool'],
    [{ tools: { pay: undefined } }, '`tools.pay` is no tool'],
    [{ tools: [{ name: 'pay', input: {} }] }, '`tools[0]` is no tool'],
    [{ path: 5, tools: [pay] }, '`path` must be the name of the file'],
    [{ path: '', tools: [pay] }, '`path` must be the name of the file'],
    [{ pth: 'x.db', tools: [pay] }, '"pth" is no option of createLedger'],
    [{ tenant: 5, tools: [pay] }, '`tenant` must be a text'],
    [{ onNotice: true, tools: [pay] }, '`onNotice` must be a function'],
    [{ isPaused: true, tools: [pay] }, '`isPaused` must be a function'],
    [{ store: {}, tools: [pay] }, '`store` must be an event store'],
    [{ runtime: {}, tools: [pay] }, '`runtime` must be a Runtime'],
    [{ sweepMs: 'x', tools: [pay] }, '`sweepMs` must be a whole number'],
  ])('%j', async (options, says) => {
    const error = await createLedger(options as never).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(LedgerError);
    expect(error).toMatchObject({
      code: 'ledger.options',
      message: expect.stringContaining(says),
    });
  });

  it('are not those that are given as undefined', async () => {
    const options = { path: undefined, tenant: undefined, tools: [pay] } as never;
    await (await createLedger(options)).close();
  });
});

describe('a request that is none', () => {
  it.each([undefined, null, 5])('%p is refused by what it lacks', async (nothing) => {
    const ledger = await createLedger({ tools: { pay } });
    const none = nothing as never;
    const refused = { kind: 'refusal', code: 'action.request-invalid' };
    expect(await ledger.vote(none)).toMatchObject(refused);
    expect(await ledger.cancel(none)).toMatchObject(refused);
    expect(await ledger.settle(none)).toMatchObject(refused);
    expect(await ledger.closeIncident(none)).toMatchObject(refused);
    expect(await ledger.report('x', none)).toMatchObject(refused);
    expect(await ledger.repeat(none)).toMatchObject({ code: 'action.request-invalid' });
    expect(await ledger.edit(none)).toMatchObject({ code: 'action.request-invalid' });
    expect(await ledger.propose(none)).toMatchObject({ code: 'tool.unknown' });
    expect(await ledger.explain(none)).toMatchObject({ kind: 'refusal' });
    expect(ledger.list(none)).toEqual([]);
    expect(await ledger.workflow(none, () => 1)).toMatchObject({ code: 'action.request-invalid' });
    const noProgram = expect.objectContaining({ code: 'ledger.options' });
    await expect(ledger.workflow({ run: 'r' }, none)).rejects.toEqual(noProgram);
    const compensated = await ledger.workflows.compensate('r', none);
    expect(compensated).toMatchObject({ code: 'action.request-invalid' });
    expect(() => ledger.tool(none)).toThrow(expect.objectContaining({ code: 'ledger.options' }));
    await ledger.close();
  });
});

describe.each(['in memory', 'in a file'])('a closed ledger %s', (where) => {
  it('says that it is closed, whatever is asked', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'action-ledger-closed-'));
    const path = where === 'in a file' ? { path: join(folder, 'ledger.db') } : {};
    const ledger = await createLedger({ ...path, tools: { pay } });
    const { actionId = '' } = await ledger.tools.pay.call({ invoice: '1' }, { run: 'r' });
    await ledger.close();
    const by = { by: 'ann', reason: 'asked', revisionSeen: 3 };
    const call = { tool: 'pay', arguments: { invoice: '1' }, tenant: 'default', origin: {} };
    const asked: Readonly<Record<string, () => unknown>> = {
      call: () => ledger.tools.pay.call({ invoice: '1' }, { run: 'r' }),
      tool: () => ledger.tool(pay).call({ invoice: '1' }, { run: 'r' }),
      propose: () => ledger.propose(call),
      vote: () => ledger.vote({ actionId, voter: 'ann', vote: 'approve', argumentsHash: 'x' }),
      cancel: () => ledger.cancel({ actionId, ...by }),
      settle: () => ledger.settle({ actionId, verdict: 'found', ...by }),
      repeat: () => ledger.repeat({ of: actionId, ...by, ...call }),
      edit: () => ledger.edit({ actionId, arguments: { invoice: '2' }, ...by }),
      report: () => ledger.report(actionId, { source: 'bank', claims: 'success', proven: true }),
      reportAbout: () =>
        ledger.reportAbout({ downstreamKey: 'k', source: 'bank', claims: 'note', proven: false }),
      waitingReports: () => ledger.waitingReports(),
      pause: () => ledger.pause({ by: 'ann', reason: 'asked' }),
      resume: () => ledger.resume(by),
      pauses: () => ledger.pauses(),
      closeIncident: () => ledger.closeIncident({ actionId, incident: 'x', ...by }),
      checkNow: () => ledger.checkNow({ actionId, ...by }),
      explain: () => ledger.explain(call),
      load: () => ledger.load(actionId),
      list: () => ledger.list({ limit: 5 }),
      ownerOfExternalId: () => ledger.ownerOfExternalId('default', 'pay', 'x'),
      openActions: () => ledger.openActions(),
      sideEntries: () => ledger.sideEntries(5),
      gauges: () => ledger.gauges(),
      observes: () => ledger.observes('default', 'pay'),
      observed: () => ledger.observed(),
      unknowns: () => ledger.unknowns({ tenant: 'default', limit: 1 }),
      rest: () => ledger.rest(actionId, 10),
      workflow: () => ledger.workflow({ run: 'r' }, () => 1),
      'workflows.show': () => ledger.workflows.show('r'),
      'workflows.compensate': () => ledger.workflows.compensate('r', by),
      'workflows.start': () => ledger.workflows.start({ tenant: 't', run: 'r' }),
      'workflows.step': () => ledger.workflows.step('x', { step: 's', ...call }),
      'workflows.complete': () => ledger.workflows.complete('x', 1),
      'workflows.fail': () => ledger.workflows.fail('x', 'asked'),
      'workflows.rest': () => ledger.workflows.rest('x', 10),
      'workflows.list': () => ledger.workflows.list(),
      'callers.tools': () => ledger.callers.tools('default'),
      'callers.take': () => ledger.callers.take(actionId, { worker: 'w' }),
      sweep: () => {
        ledger.sweep();
      },
    };
    const others = ['store', 'tools', 'close', 'workflows', 'callers'];
    const own = [
      ...Object.keys(ledger).filter((name) => !others.includes(name)),
      ...Object.keys(ledger.workflows).map((name) => `workflows.${name}`),
    ];
    expect(
      Object.keys(asked)
        .filter((name) => name !== 'call' && !name.startsWith('callers.'))
        .sort(),
    ).toEqual(own.sort());
    const isNow = [
      'list',
      'waitingReports',
      'ownerOfExternalId',
      'openActions',
      'pauses',
      'sideEntries',
      'gauges',
      'observes',
      'observed',
      'sweep',
      'unknowns',
      'workflows.list',
      'callers.tools',
    ];
    for (const [name, ask] of Object.entries(asked)) {
      const closed = { code: 'ledger.closed', name: 'LedgerError' };
      if (isNow.includes(name)) expect(ask).toThrow(expect.objectContaining(closed));
      else await expect(ask()).rejects.toMatchObject(closed);
    }
    await ledger.close();
    rmSync(folder, { recursive: true, force: true });
  });
});
