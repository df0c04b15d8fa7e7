// What a soak is loaded with: the runs of the shipped sample, again and again under other tenants, some over HTTP
// and some as proposals on the log, against a provider that loses answers. It goes on until it is told to end.
import {
  type CallTally,
  createCallTally,
  createOverHttp,
  type IdentityProvider,
  planRuns,
  playRun,
  readToolsIn,
} from '@action-ledger/cli/play';
import { encodeProposal } from '@action-ledger/avro';
import { actionTopics, type EventLog, isOutage } from '@action-ledger/event-log';
import { type Runtime } from '@action-ledger/runtime';
import {
  createProvider,
  createRecordedWorld,
  draw,
  type PlayRun,
  sandboxBehaviour,
  type SandboxProvider,
  serveProvider,
} from '@action-ledger/sandbox';
import { pause } from './pause.ts';

export interface Outside {
  readonly provider: SandboxProvider;
  readonly url: string;
  readonly open: (run: PlayRun) => void;
  readonly close: () => Promise<void>;
}

export const catalogue = 'packages/sandbox/samples/catalog';
const sample = 'packages/sandbox/samples/shop.ndjson';
const rates = { lostResponses: 0.03, timeouts: 0.01 };
const silenceMs = 150;

export async function openOutside(seed: number, runtime: Runtime): Promise<Outside> {
  const tools = await readToolsIn([catalogue]);
  const world = createRecordedWorld({ seed, rates });
  const provider = createProvider({
    runtime,
    silenceMs,
    arrivalsMax: 16,
    behaviour: sandboxBehaviour(tools),
    answer: world.answer,
    fault: world.fault,
  });
  const served = await serveProvider(provider);
  return {
    provider,
    url: served.url,
    open: (run) => {
      world.open(run);
    },
    close: served.close,
  };
}

export interface Load {
  readonly tally: CallTally;
  readonly proposals: () => number;
  /** What is under way is played to its end. */
  readonly end: () => Promise<void>;
}

export interface LoadDeps {
  readonly seed: number;
  readonly runtime: Runtime;
  readonly outside: Outside;
  readonly log: EventLog;
  readonly url: string;
  readonly failure: () => Error | undefined;
  readonly tokenOf: IdentityProvider['tokenOf'];
  readonly runsAtOnce: number;
}

const duplicateDeliveries = 0.1;
/** Of the runs, so many come by the log. */
const byLogShare = 0.25;

export async function startLoad(deps: LoadDeps): Promise<Load> {
  const { seed, runtime, outside, log, url, failure, tokenOf } = deps;
  const runs: PlayRun[] = [];
  for await (const run of planRuns([sample], await readToolsIn([catalogue]), Infinity))
    runs.push(run);
  const tally = createCallTally();
  const deliver = createOverHttp({ url, keyOf: tokenOf, runtime, failure });
  const publisher = await log.openPublisher();
  const deliverer = { deliver, close: async () => undefined };
  let next = 0;
  let published = 0;
  let isEnding = false;
  const publish = async (run: PlayRun): Promise<void> => {
    const records = proposalsOf(run, seed);
    published += records.length;
    // As a platform does: what may be stored is published again.
    for (;;) {
      try {
        await publisher.publish(records);
        return;
      } catch (fault) {
        if (!isOutage(fault)) throw fault;
        await pause(runtime, 250);
      }
    }
  };
  const loop = async (): Promise<void> => {
    while (!isEnding) {
      const number = next;
      next += 1;
      const planned = runs[number % runs.length];
      if (planned === undefined) return;
      const run = { ...planned, tenant: `${planned.tenant}~${number}` };
      outside.open(run);
      if (draw(seed, 'by log', run.tenant, 0) < byLogShare) await publish(run);
      else await playRun(run, { deliverer, tally, seed, duplicateDeliveries });
    }
  };
  const loops = Array.from({ length: deps.runsAtOnce }, loop);
  return {
    tally,
    proposals: () => published,
    end: async () => {
      isEnding = true;
      await Promise.all(loops);
      await publisher.close();
    },
  };
}

/** Some of them twice, as a platform that is not sure publishes them. */
function proposalsOf(run: PlayRun, seed: number) {
  return run.calls.flatMap((call) => {
    if (call.kind !== 'write') return [];
    const { call: proposalId, ...origin } = call.origin;
    const value = encodeProposal({
      proposalId,
      tenant: run.tenant,
      by: 'platform',
      tool: call.tool.name,
      arguments: call.arguments,
      ...origin,
    });
    const record = { topic: actionTopics.proposals, key: run.tenant, value };
    const isTwice = draw(seed, 'published twice', run.tenant, call.seq) < duplicateDeliveries;
    return isTwice ? [record, record] : [record];
  });
}
