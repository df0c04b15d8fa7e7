// Spans sent to an OpenTelemetry collector over OTLP/HTTP. Loaded only where an address is named. Spans are
// sent in the background from a bounded queue: a collector that is away loses spans, and holds nothing up.
import { usageError } from '../cli-error.ts';

export interface Tracing {
  /** Sends what is left, and ends. Never throws. */
  stop(): Promise<void>;
}

const sendWithinMs = 5_000;
const queueMax = 2_048;

/**
 * @param endpoint of the collector; spans go to `/v1/traces` under it. The operator names it, so that it
 *   may be a private address.
 * @throws CliError where it is no address
 */
export async function openTracing(endpoint: string): Promise<Tracing> {
  const url = tracesUrl(endpoint);
  const { context, trace } = await import('@opentelemetry/api');
  const { AsyncLocalStorageContextManager } = await import('@opentelemetry/context-async-hooks');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { BatchSpanProcessor, TracerProvider } = await import('@opentelemetry/sdk-trace');
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: sendWithinMs });
  const processor = new BatchSpanProcessor({ exporter, maxQueueSize: queueMax });
  const provider = new TracerProvider({ spanProcessors: [processor] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  return {
    stop: async () => {
      await provider.shutdown().catch(() => undefined);
      trace.disable();
      context.disable();
    },
  };
}

function tracesUrl(endpoint: string): string {
  const base = URL.parse(endpoint);
  if (base === null || !/^https?:$/.test(base.protocol))
    throw usageError(
      `--otlp: ${endpoint} is no http address`,
      'name the collector, such as http://127.0.0.1:4318.',
    );
  return `${base.origin}${base.pathname.replace(/\/$/, '')}/v1/traces`;
}
