// Trace files as checked lines, and as whole runs in their recorded order. A line that does not fit
// the format is an error that names file and line; nothing is skipped or repaired.
import { parseJson, type JsonLimits } from '@action-ledger/domain';
import { readTextLines } from './text-lines.ts';
import { TraceFault } from './trace-fault.ts';
import { traceLineOf, type TraceLine } from './trace-line.ts';

export interface TraceRun {
  readonly run: string;
  readonly domain: string;
  /** In order of `seq`, from 0. */
  readonly lines: readonly TraceLine[];
}

/** Reads `.ndjson` or `.ndjson.gz`, line by line. @throws TraceFault */
export async function* readTrace(path: string): AsyncGenerator<TraceLine> {
  for await (const { line } of readNumbered(path)) yield line;
}

/**
 * Reads a file run by run; the lines of a run stand together.
 * @throws TraceFault also when a run comes apart, leaves out a `seq` or changes its domain.
 */
export async function* readRuns(path: string): AsyncGenerator<TraceRun> {
  const finished = new Set<string>();
  let open: TraceLine[] = [];
  for await (const { number, line } of readNumbered(path)) {
    const last = open.at(-1);
    if (last !== undefined && last.run !== line.run) {
      finished.add(last.run);
      yield runOf(open);
      open = [];
    }
    const problem = misplaced(line, open, finished);
    if (problem !== undefined) throw new TraceFault(path, number, problem);
    open.push(line);
  }
  if (open.length > 0) yield runOf(open);
}

function misplaced(
  line: TraceLine,
  open: readonly TraceLine[],
  finished: ReadonlySet<string>,
): string | undefined {
  if (finished.has(line.run)) {
    return `the run ${line.run} began further up; put the lines of a run together`;
  }
  if (line.seq !== open.length) return `seq is ${line.seq}, but ${open.length} comes next`;
  const domain = open[0]?.domain ?? line.domain;
  if (line.domain !== domain) return `the run's domain is ${domain}, not ${line.domain}`;
  return undefined;
}

function runOf(lines: readonly TraceLine[]): TraceRun {
  const [first] = lines;
  if (first === undefined) throw new RangeError('a run has at least one line');
  return { run: first.run, domain: first.domain, lines };
}

async function* readNumbered(
  path: string,
): AsyncGenerator<{ readonly number: number; readonly line: TraceLine }> {
  for await (const { number, text } of readTextLines(path)) {
    if (text.trim() === '') continue;
    const parsed = parseJson(text, lineLimits);
    if (parsed.kind === 'refusal') throw new TraceFault(path, number, parsed.message);
    try {
      yield { number, line: traceLineOf(parsed.value) };
    } catch (error) {
      throw new TraceFault(path, number, error instanceof Error ? error.message : String(error));
    }
  }
}

/** A line holds the arguments and the result; what arguments may be, the ledger says. */
const lineLimits: JsonLimits = { bytesMax: 32 * 1024 * 1024, depthMax: 64 };
