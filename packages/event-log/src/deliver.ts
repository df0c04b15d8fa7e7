// What every adapter does with records that it has read for one partition: hands them to the handler,
// commits what is settled, and tries again what failed, until it works or is a dead letter. A batch
// that failed is taken apart, so that one bad record holds up neither the others nor itself for long.
import { type Runtime } from '@action-ledger/runtime';
import {
  type ConsumerFault,
  type Delivery,
  type LogRecord,
  type NewRecord,
  type RecordHandler,
  type RetryRules,
} from './event-log.ts';
import { isOutage, PoisonRecord } from './log-fault.ts';
import { deadLetterTopicOf, headersOfDeadLetter, isDeadLetterTopic } from './topics.ts';

export interface DeliveryParts {
  readonly group: string;
  /** Its signal is aborted when the partition is lost. */
  readonly delivery: Omit<Delivery, 'attempt' | 'putAside'>;
  readonly handler: RecordHandler;
  readonly retry: RetryRules;
  readonly runtime: Pick<Runtime, 'timers'>;
  /** Aborted when no further call may begin: the partition is lost, or the consumer closes. */
  readonly stop: AbortSignal;
  /** Resolves when a call may begin: not while paused. At once where `stop` is aborted. */
  readonly mayCall: () => Promise<void>;
  /** The group goes on from `next`; false where this consumer does not have the partition any more. */
  readonly commit: (next: number) => boolean | Promise<boolean>;
  /** Stored when it resolves. */
  readonly publishDeadLetter: (record: NewRecord) => Promise<void>;
  readonly onFault: (fault: ConsumerFault) => void;
}

export const retryUsual = { triesMax: 5, pauseMinMs: 100, pauseMaxMs: 5_000 };

/** @returns false where it was stopped before all of them were settled and committed */
export async function deliver(
  records: readonly LogRecord[],
  parts: DeliveryParts,
): Promise<boolean> {
  let rest = records;
  let chunk = records;
  let failedBefore = 0;
  while (rest.length > 0) {
    const ending = await settle(chunk, failedBefore, parts);
    if (ending.kind === 'stopped') return false;
    if (ending.kind === 'take apart') {
      failedBefore = ending.failures;
    } else {
      const last = chunk.at(-1);
      if (last !== undefined && !(await commit(last.offset, parts))) return false;
      rest = rest.slice(chunk.length);
    }
    chunk = rest.slice(0, 1);
  }
  return true;
}

type Ending =
  | { readonly kind: 'settled' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'take apart'; readonly failures: number };

const settled: Ending = { kind: 'settled' };
const stopped: Ending = { kind: 'stopped' };

/** @param failedBefore how often these records failed as part of a larger batch */
async function settle(
  records: readonly LogRecord[],
  failedBefore: number,
  parts: DeliveryParts,
): Promise<Ending> {
  let failures = failedBefore;
  let tries = 0;
  for (;;) {
    await parts.mayCall();
    if (parts.stop.aborted) return stopped;
    const called = await call(records, failures + 1, parts);
    if (called.kind === 'handled') return buryAll(called.aside, failures + 1, parts);
    if (parts.delivery.signal.aborted) return stopped;
    failures += 1;
    const { error } = called;
    if (!isOutage(error)) tries += 1;
    const ending = await afterFailure(records, { error, failures, tries }, parts);
    if (ending !== undefined) return ending;
  }
}

interface Failure {
  readonly error: unknown;
  /** Since the records were read. */
  readonly failures: number;
  /** Of these, the failures that count against the records as they are together now. */
  readonly tries: number;
}

/** @returns undefined where the same records are tried again, after the pause that has passed */
async function afterFailure(
  records: readonly LogRecord[],
  failure: Failure,
  parts: DeliveryParts,
): Promise<Ending | undefined> {
  const [first, second] = records;
  if (first === undefined) return settled;
  const { error, failures, tries } = failure;
  const isHopeless = error instanceof PoisonRecord;
  const isLastTry = tries >= (parts.retry.triesMax ?? retryUsual.triesMax);
  if (second === undefined && (isHopeless || isLastTry)) {
    return (await bury(first, failure, parts)) ? settled : stopped;
  }
  if (!isHopeless) await pauseAfterFailure(first.offset, failure, parts);
  return second !== undefined && !isOutage(error) ? { kind: 'take apart', failures } : undefined;
}

async function pauseAfterFailure(
  offset: number,
  { error, failures }: Failure,
  parts: DeliveryParts,
): Promise<void> {
  const { topic, partition } = parts.delivery;
  const againInMs = pauseAfter(failures, parts.retry);
  parts.onFault({ kind: 'handler', topic, partition, offset, attempt: failures, error, againInMs });
  await pauseFor(againInMs, parts.runtime, parts.stop);
}

type Aside = ReadonlyMap<LogRecord, PoisonRecord>;

type Called =
  | { readonly kind: 'handled'; readonly aside: Aside }
  | { readonly kind: 'thrown'; readonly error: unknown };

async function call(
  records: readonly LogRecord[],
  attempt: number,
  parts: DeliveryParts,
): Promise<Called> {
  const aside = new Map<LogRecord, PoisonRecord>();
  const putAside = (record: LogRecord, poison: PoisonRecord): void => {
    aside.set(record, poison);
  };
  try {
    await parts.handler(records, { ...parts.delivery, attempt, putAside });
    return { kind: 'handled', aside };
  } catch (error) {
    return { kind: 'thrown', error };
  }
}

async function buryAll(aside: Aside, tries: number, parts: DeliveryParts): Promise<Ending> {
  for (const [record, error] of aside)
    if (!(await bury(record, { error, tries }, parts))) return stopped;
  return settled;
}

async function commit(offset: number, parts: DeliveryParts): Promise<boolean> {
  const { topic, partition, generation } = parts.delivery;
  if (await parts.commit(offset + 1)) return true;
  parts.onFault({ kind: 'commit refused', topic, partition, generation, offset });
  return false;
}

/** The record is passed only once its dead letter is stored. @returns false where it was stopped */
async function bury(
  record: LogRecord,
  { error, tries }: Pick<Failure, 'error' | 'tries'>,
  parts: DeliveryParts,
): Promise<boolean> {
  const reason = error instanceof Error ? error.message : String(error);
  const { topic, partition } = parts.delivery;
  // A dead letter that nobody can handle stays where it is: it is stored already.
  if (!isDeadLetterTopic(topic)) {
    const { group } = parts;
    const facts = { topic, partition, offset: record.offset, group, reason, tries };
    const letter = {
      topic: deadLetterTopicOf(topic),
      key: record.key,
      value: error instanceof PoisonRecord && error.withoutValue ? undefined : record.value,
      headers: headersOfDeadLetter(record, facts),
      timestamp: record.timestamp,
    };
    const isStored = await keepTrying(parts, () => parts.publishDeadLetter(letter));
    if (!isStored) return false;
  }
  parts.onFault({ kind: 'dead letter', record, reason, tries });
  return true;
}

/** Against a log that cannot be read or written for a while. @returns false where it was stopped */
export async function keepTrying(
  parts: Pick<DeliveryParts, 'delivery' | 'onFault' | 'retry' | 'runtime' | 'stop'>,
  run: () => Promise<unknown>,
): Promise<boolean> {
  const { topic, partition } = parts.delivery;
  for (let failures = 1; !parts.stop.aborted; failures += 1) {
    const error = await errorOf(run);
    if (error === undefined) return true;
    const againInMs = pauseAfter(failures, parts.retry);
    if (!isAborted(parts.stop)) parts.onFault({ kind: 'log', topic, partition, error, againInMs });
    await pauseFor(againInMs, parts.runtime, parts.stop);
  }
  return false;
}

async function errorOf(run: () => Promise<unknown>): Promise<unknown> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error ?? new Error('It failed and did not say why.');
  }
}

/** It changes while others run, which the compiler cannot see. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

export function pauseAfter(failures: number, retry: RetryRules): number {
  const { pauseMinMs = retryUsual.pauseMinMs, pauseMaxMs = retryUsual.pauseMaxMs } = retry;
  return Math.min(pauseMaxMs, pauseMinMs * 2 ** Math.min(failures - 1, 30));
}

/** Ends early where `stop` is aborted. */
export function pauseFor(
  ms: number,
  runtime: Pick<Runtime, 'timers'>,
  stop: AbortSignal,
): Promise<void> {
  if (stop.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel();
      stop.removeEventListener('abort', end);
      resolve();
    };
    const timer = runtime.timers.after(ms, end);
    stop.addEventListener('abort', end);
  });
}
