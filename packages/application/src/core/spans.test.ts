// Spans as an exporter of the OpenTelemetry SDK gets them, and what goes on downstream.
import { trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { describe, expect, it } from '@jest/globals';
import { inSpan, type SpanOf } from './spans.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, tracestate: 'a=1' };
const attempt: SpanOf<string> = {
  name: 'attempt',
  facts: { tool: 'pay', attempt: 1, tenant: undefined },
  parent,
  ended: (outcome) => ({ outcome }),
};

const exporter = new InMemorySpanExporter();

function record(): void {
  const spanProcessors = [new SimpleSpanProcessor({ exporter })];
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors }));
  exporter.reset();
}

describe('a span', () => {
  // The first one: a tracer stays with the provider that it has met.
  it('is nothing without a tracer provider: the trace goes on as it came', async () => {
    expect(await inSpan(attempt, async (given) => given?.traceparent ?? '')).toBe(
      parent.traceparent,
    );
    const without = { name: 'vote', facts: {}, ended: () => ({}) } as const;
    expect(await inSpan(without, async (given) => given)).toBeUndefined();
  });

  it('is a child of the trace of the proposal, and is passed on downstream', async () => {
    record();
    let downstream: unknown;
    await inSpan(attempt, async (given) => {
      downstream = given;
      return 'succeeded';
    });
    const [span] = exporter.getFinishedSpans();
    expect(span?.name).toBe('action_ledger.attempt');
    expect(span?.attributes).toEqual({
      'action_ledger.tool': 'pay',
      'action_ledger.attempt': 1,
      'action_ledger.outcome': 'succeeded',
    });
    expect(span?.spanContext().traceId).toBe(traceId);
    expect(span?.parentSpanContext?.spanId).toBe('00f067aa0ba902b7');
    const own = span?.spanContext().spanId ?? '';
    expect(downstream).toEqual({ traceparent: `00-${traceId}-${own}-01`, tracestate: 'a=1' });
  });

  it('ends with an error where the work fails', async () => {
    record();
    await expect(inSpan(attempt, () => Promise.reject(new Error('x')))).rejects.toThrow('x');
    expect(exporter.getFinishedSpans()[0]?.status.code).toBe(2);
  });
});
