// What a large ledger costs beside one of 10,000 actions. Both are filled through the ledger itself,
// then measured side by side, slice by slice, so that what the machine does meanwhile meets both.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, startChild } from './child.ts';
import { mainFile } from './contender.ts';
import { scaleActionsLeast } from './options.ts';
import {
  type AuditReply,
  type AuditSetting,
  audits,
  type ScaleCost,
  scaleCosts,
  type ScaleMessage,
  type ScaleReply,
  type ScaleSetting,
} from './scale-messages.ts';
import { type Measured, type ScaleRow, scaleRows } from './scale-report.ts';
import { makeFolder } from './world.ts';

export interface ScaleOptions {
  readonly actions: number;
  readonly rounds: number;
  readonly services: boolean;
  readonly dir: string | undefined;
}

type LedgerChild = Child<ScaleMessage, ScaleReply>;

const sliceCounts: Readonly<Record<ScaleCost, number>> = { propose: 200, list: 200, repeat: 200 };

export async function measureScale(
  { actions, rounds, services, dir }: ScaleOptions,
  progress: (text: string) => void,
): Promise<readonly ScaleRow[]> {
  const root = makeFolder(dir);
  const sizes = [scaleActionsLeast, actions];
  try {
    const settings: ScaleSetting[] = [];
    for (const size of sizes) {
      progress(`filling a ledger of ${size} actions`);
      settings.push(
        await fill({ dir: mkdtempSync(join(root, `${size}-`)), actions: size, services }),
      );
    }
    const measured = settings.map((setting) => emptyMeasured(setting.actions));
    await measureServing(settings, measured, rounds, progress);
    for (const [at, setting] of settings.entries()) {
      progress(`auditing a ledger of ${setting.actions} actions`);
      await auditAll(setting, measured[at] ?? emptyMeasured(0));
    }
    return scaleRows(measured);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function emptyMeasured(actions: number): Measured {
  return { actions, costs: { propose: [], list: [], repeat: [] }, once: {} };
}

async function fill(setting: ScaleSetting): Promise<ScaleSetting> {
  const { child } = await start({ ...setting, actions: 0 });
  await child.ask({ type: 'fill', actions: setting.actions }, 'filled');
  await close(child);
  return setting;
}

/** Of each round every cost of both ledgers, one after the other, and the other way round in the next. */
async function measureServing(
  settings: readonly ScaleSetting[],
  measured: readonly Measured[],
  rounds: number,
  progress: (text: string) => void,
): Promise<void> {
  const served: { readonly child: LedgerChild; readonly into: Measured }[] = [];
  for (const [at, setting] of settings.entries()) {
    const { child, firstAnswerMs } = await start(setting);
    const into = measured[at] ?? emptyMeasured(0);
    into.once.firstAnswerMs = firstAnswerMs;
    served.push({ child, into });
  }
  // The first slices only warm up.
  for (let round = -1; round < rounds; round += 1) {
    progress(`round ${round + 1} of ${rounds}`);
    for (const cost of scaleCosts)
      for (const { child, into } of round % 2 === 0 ? served : served.toReversed()) {
        const order = { type: 'slice', cost, count: sliceCounts[cost] } as const;
        const { microseconds } = await child.ask(order, 'slice done');
        if (round >= 0) into.costs[cost].push(microseconds);
      }
  }
  for (const { child, into } of served) {
    into.once.residentMb = (await child.ask({ type: 'weigh' }, 'weighed')).megabytes;
    await close(child);
  }
}

async function start(setting: ScaleSetting) {
  const child: LedgerChild = startChild('scale-ledger-main.ts', [JSON.stringify(setting)]);
  const { firstAnswerMs } = await child.ask(undefined, 'ready');
  return { child, firstAnswerMs };
}

async function close(child: LedgerChild): Promise<void> {
  await child.ask({ type: 'close' }, 'closed');
  await child.ended();
}

async function auditAll({ dir }: ScaleSetting, { once }: Measured): Promise<void> {
  let held = 0;
  for (const audit of audits) {
    const setting: AuditSetting = { dir, audit };
    const child = startChild<never, AuditReply>('scale-audit-main.ts', [JSON.stringify(setting)]);
    const { events, seconds } = await child.ask(undefined, 'audited');
    await child.ended();
    once[audit] = events / seconds;
    held = events;
  }
  once.verify = held / verifySeconds(join(dir, mainFile));
}

/** The command as it is run, its start included. */
function verifySeconds(path: string): number {
  const command = join(import.meta.dirname, '../../packages/cli/bin/action-ledger.js');
  const from = performance.now();
  const { status, stdout } = spawnSync(process.execPath, [command, 'verify', '--path', path], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`verify found something broken:\n${stdout}`);
  return (performance.now() - from) / 1000;
}
