// OpenTelemetry spans of what a ledger does. They appear where the program has registered a tracer
// provider; without one they cost a call and say nothing. Attributes are ids and words of the glossary,
// never arguments or results.
import {
  type Attributes,
  context,
  isSpanContextValid,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type TracerProvider,
} from '@opentelemetry/api';
import { type TraceContext } from '@action-ledger/domain';

export interface SpanOf<Result> {
  readonly name: 'propose' | 'attempt' | 'lookup' | 'vote' | 'settle';
  /** Under `action_ledger.`; what is undefined is left out. */
  readonly facts: Facts;
  /** What it belongs to, where the program around has no span of its own. */
  readonly parent?: TraceContext | undefined;
  /** What came of it. */
  readonly ended: (result: Result) => Facts;
}

/** Texts, numbers and truths by name. */
type Facts = object;

const tracerName = 'action-ledger';
const tracer = trace.getTracer(tracerName);

/** @param work gets the trace to pass on downstream: that of the span where it is recorded */
export function inSpan<Result>(
  of: SpanOf<Result>,
  work: (downstream: TraceContext | undefined) => Promise<Result>,
): Promise<Result> {
  return isTraced() ? inActiveSpan(of, work) : work(of.parent);
}

/** What stands in for a provider until one is registered; it has no tracer to delegate to before that. */
type StandIn = TracerProvider & { readonly getDelegateTracer?: (name: string) => unknown };

/** Asked each time: a provider can be registered after the ledger was opened. */
function isTraced(): boolean {
  const provider: StandIn = trace.getTracerProvider();
  return (
    provider.getDelegateTracer?.(tracerName) !== undefined || !('getDelegateTracer' in provider)
  );
}

function inActiveSpan<Result>(
  { name, facts, parent, ended }: SpanOf<Result>,
  work: (downstream: TraceContext | undefined) => Promise<Result>,
): Promise<Result> {
  return tracer.startActiveSpan(
    `action_ledger.${name}`,
    { kind: SpanKind.INTERNAL },
    contextOf(parent),
    async (span) => {
      describe(span, facts);
      try {
        const result = await work(downstreamOf(span, parent));
        describe(span, ended(result));
        return result;
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    },
  );
}

/** Costs nothing where nobody looks. */
function describe(span: Span, facts: Facts): void {
  if (span.isRecording()) span.setAttributes(attributesOf(facts));
}

function contextOf(parent: TraceContext | undefined): ReturnType<typeof context.active> {
  const active = context.active();
  if (parent === undefined || trace.getSpan(active) !== undefined) return active;
  const [, traceId = '', spanId = '', flags = '00'] = parent.traceparent.split('-');
  const remote = { traceId, spanId, traceFlags: parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(remote) ? trace.setSpanContext(active, remote) : active;
}

function downstreamOf(span: Span, parent: TraceContext | undefined): TraceContext | undefined {
  if (!span.isRecording()) return parent;
  const { traceId, spanId, traceFlags } = span.spanContext();
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  return { ...parent, traceparent };
}

function attributesOf(facts: Facts): Attributes {
  return Object.fromEntries(
    Object.entries(facts)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [`action_ledger.${name}`, value as string | number | boolean]),
  );
}
