// What a recorded run asks of the ledger: its calls in order, each with the arguments and the origin
// to propose it with, and the answer that the recorded world gave. Pure; nothing is judged here, so
// that the ledger itself refuses what is not valid.
import { type CallOrigin, type JsonObject } from '@action-ledger/domain';
import { type TraceRun } from '../traces/read-trace.ts';
import { type TraceLine } from '../traces/trace-line.ts';
import { type DeclaredTool, type DeclaredTools } from './declare-tools.ts';

/** How the recorded world answered a call. An error was a definite refusal. */
export type RecordedAnswer =
  | { readonly kind: 'accepted'; readonly text: string | null }
  | { readonly kind: 'refused'; readonly reason: string };

/** `unknown`: a write whose tool the catalogue does not have; it is proposed, and refused. */
export type PlayCall = ReadCall | WriteCall | UnknownToolCall;

interface CallBase {
  readonly seq: number;
  /** The tool's name as recorded. */
  readonly recordedTool: string;
  readonly arguments: JsonObject;
  readonly origin: Required<CallOrigin>;
  readonly answer: RecordedAnswer;
}

export interface ReadCall extends CallBase {
  readonly kind: 'read';
}

export interface WriteCall extends CallBase {
  readonly kind: 'write';
  readonly tool: DeclaredTool;
}

export interface UnknownToolCall extends CallBase {
  readonly kind: 'unknown';
}

export interface PlayRun {
  /** Every run is a tenant of its own. */
  readonly tenant: string;
  readonly domain: string;
  readonly calls: readonly PlayCall[];
}

export function planRun(run: TraceRun, tools: DeclaredTools): PlayRun {
  const declared = tools.get(run.domain) ?? new Map<string, DeclaredTool>();
  return {
    tenant: run.run,
    domain: run.domain,
    calls: run.lines.map((line) => planCall(line, declared.get(line.tool))),
  };
}

function planCall(line: TraceLine, tool: DeclaredTool | undefined): PlayCall {
  const call: CallBase = {
    seq: line.seq,
    recordedTool: line.tool,
    arguments: line.arguments,
    origin: {
      conversation: line.conversation,
      run: line.run,
      turn: String(line.turn),
      call: line.call ?? String(line.seq),
    },
    answer: answerOf(line),
  };
  if (line.kind === 'read') return { ...call, kind: 'read' };
  return tool === undefined ? { ...call, kind: 'unknown' } : { ...call, kind: 'write', tool };
}

function answerOf(line: TraceLine): RecordedAnswer {
  return line.error
    ? { kind: 'refused', reason: line.result ?? 'refused without a reason' }
    : { kind: 'accepted', text: line.result };
}
