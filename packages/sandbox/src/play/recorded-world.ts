// The sandbox's memory of how the recorded world answered: it answers a request as the call behind it
// was answered, and draws the request's fault for that call. Which call that is, the ledger says (the
// call that created the action), so an action that runs later, or again, still gets its own answer.
import { isDeepStrictEqual } from 'node:util';
import { type JsonObject, type JsonValue } from '@action-ledger/domain';
import { type ProviderAnswer } from '../provider/behaviour.ts';
import { drawFault, type FaultRates } from '../provider/draw.ts';
import { type Fault } from '../provider/fault.ts';
import { type ProviderRequest } from '../provider/wire.ts';
import { type PlayRun, type RecordedAnswer, type WriteCall } from './play-plan.ts';
import { sandboxTimes } from './sandbox-tools.ts';

export interface RecordedWorld {
  /** Before the run's first call. */
  open(run: PlayRun): void;
  /** After its last action has settled or rests with an operator: its answers can be forgotten. */
  close(tenant: string): void;
  /** Give both to `createProvider`. */
  readonly answer: (request: ProviderRequest) => ProviderAnswer;
  readonly fault: (request: ProviderRequest) => Fault | undefined;
}

export interface RecordedWorldOptions {
  readonly seed: number;
  readonly rates: FaultRates;
}

export function createRecordedWorld({ seed, rates }: RecordedWorldOptions): RecordedWorld {
  const runs = new Map<string, readonly WriteCall[]>();
  const callBehind = (request: ProviderRequest): WriteCall | undefined =>
    findCall(runs.get(request.tenant) ?? [], request);
  return {
    open(run) {
      runs.set(
        run.tenant,
        run.calls.filter((call) => call.kind === 'write'),
      );
    },
    close(tenant) {
      runs.delete(tenant);
    },
    answer(request) {
      const call = callBehind(request);
      if (call === undefined) return { kind: 'refused', error: 'no such call was recorded' };
      return providerAnswer(call.answer, call.tool.keep);
    },
    fault(request) {
      const call = callBehind(request);
      if (call === undefined) return undefined;
      const what = { run: request.tenant, seq: call.seq, attempt: request.attempt };
      return drawFault(seed, rates, what, sandboxTimes.lateByMs);
    },
  };
}

/** Ids recur on different calls of a run, so the arguments must fit too. */
function findCall(calls: readonly WriteCall[], request: ProviderRequest): WriteCall | undefined {
  const { origin, tool } = request;
  const candidates = calls.filter(
    (call) =>
      call.tool.name === tool &&
      (origin === undefined ||
        (call.origin.turn === origin.turn && call.origin.call === origin.call)),
  );
  if (candidates.length === 1) return candidates[0];
  return candidates.find((call) => holds(request.arguments, call.arguments));
}

/** What was sent may hold defaults beside what was recorded. */
function holds(sent: JsonObject, recorded: JsonObject): boolean {
  return Object.entries(recorded).every(([name, value]) => isDeepStrictEqual(sent[name], value));
}

function providerAnswer(answer: RecordedAnswer, keep: readonly string[]): ProviderAnswer {
  if (answer.kind === 'refused') return { kind: 'refused', error: answer.reason };
  const outcome: Record<string, JsonValue> = { text: answer.text };
  for (const path of keep) {
    const [root, ...rest] = path.split('.');
    const member = rest.join('.');
    const value = root === 'outcome' ? memberOfText(answer.text ?? '', member) : undefined;
    if (value !== undefined) outcome[member] = value;
  }
  return { kind: 'accepted', result: outcome };
}

/** Recorded results are texts, often cut: the first `"member": "value"` in it counts. */
function memberOfText(text: string, member: string): string | undefined {
  const quoted = JSON.stringify(member).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const found = new RegExp(`${quoted}\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")`).exec(text);
  return found?.[1] === undefined ? undefined : textOf(found[1]);
}

function textOf(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}
