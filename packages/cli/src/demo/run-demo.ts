// Plays every case twice, through a ledger and without one, and counts at the providers. All of it in
// this process and in memory: no file, no network, real time in small bounds.
import { type Runtime } from '@action-ledger/runtime';
import { createBareAgent } from './bare-agent.ts';
import { type CaseResult, type DemoCase } from './demo-case.ts';
import { demoCases } from './demo-cases.ts';
import { createDemoProvider } from './demo-provider.ts';
import { createStage } from './stage.ts';

export interface DemoResult {
  readonly cases: readonly CaseResult[];
  readonly effects: CaseResult['effects'];
  readonly ok: boolean;
  readonly seconds: number;
}

/** A case that is not over by then has failed; on an idle machine none takes half a second. */
const caseMsMax = 20_000;

export async function runDemo(
  runtime: Runtime,
  cases: readonly DemoCase[] = demoCases,
): Promise<DemoResult> {
  const startedMs = runtime.clock.monoMs();
  const results = await Promise.all(cases.map((demo, index) => playCase(demo, index + 1, runtime)));
  const sum = (of: keyof CaseResult['effects']): number =>
    results.reduce((total, { effects }) => total + effects[of], 0);
  return {
    cases: results,
    effects: {
      wanted: sum('wanted'),
      counted: sum('counted'),
      withoutLedger: sum('withoutLedger'),
    },
    ok: results.every(({ ok }) => ok),
    seconds: Math.round(runtime.clock.monoMs() - startedMs) / 1000,
  };
}

async function playCase(demo: DemoCase, number: number, runtime: Runtime): Promise<CaseResult> {
  const [played, withoutLedger] = await Promise.all([
    playThrough(demo, runtime),
    playWithout(demo, runtime),
  ]);
  const { title, guarantee, effectsWanted: wanted } = demo;
  const { steps, tool, counted } = played;
  const miscounted = counted === wanted ? [] : [`${counted} effects, but ${wanted} wanted`];
  const wrong = [...miscounted, ...played.wrong];
  return {
    number,
    title,
    tool,
    guarantee,
    steps,
    effects: { wanted, counted, withoutLedger },
    wrong,
    ok: wrong.length === 0,
  };
}

interface Played extends Pick<CaseResult, 'steps' | 'tool' | 'wrong'> {
  readonly counted: number;
}

async function playThrough(demo: DemoCase, runtime: Runtime): Promise<Played> {
  const provider = createDemoProvider(demo, runtime);
  const { stage, steps, wrong, tool, close } = createStage(provider, runtime);
  const failed: string[] = [];
  try {
    await within(runtime, demo.play(stage));
  } catch (error) {
    failed.push(error instanceof Error ? error.message : String(error));
  }
  await close();
  const counted = provider.effects().length;
  return { steps, tool: tool(), counted, wrong: [...wrong, ...failed] };
}

async function playWithout(demo: DemoCase, runtime: Runtime): Promise<number> {
  const provider = createDemoProvider(demo, runtime);
  await within(runtime, demo.without(createBareAgent(provider, runtime)));
  return provider.effects().length;
}

/** Also keeps the process alive while the case waits for something that does not. */
async function within(runtime: Runtime, work: Promise<void>): Promise<void> {
  let stop: (() => void) | undefined;
  const late = new Promise<never>((_, reject) => {
    const timer = runtime.timers.after(
      caseMsMax,
      () => {
        reject(new Error(`not over after ${caseMsMax / 1000} s`));
      },
      { keepsAlive: true },
    );
    stop = () => {
      timer.cancel();
    };
  });
  try {
    await Promise.race([work, late]);
  } finally {
    stop?.();
  }
}
