// A request until it is answered: tried again, with jitter and by what the ledger says of when, as long as
// that can do no harm and the time allows. Whether a try may have been carried out is never forgotten: an
// answer to a later one is told together with that doubt.
import { type Runtime } from '@action-ledger/runtime';
import { pauseFor } from './pause-for.ts';
import { RemoteFault } from './remote-fault.ts';
import { type Asked, type Heard, type Line, type Problem, tryOnce } from './try-once.ts';

export interface Patience {
  readonly retryForMs: number;
  readonly answerWithinMs: number;
}

export interface Asking extends Asked {
  /** How long the ledger is asked to hold its answer. */
  readonly waitMs?: number;
  /** Ends the waiting, not what is asked. */
  readonly signal?: AbortSignal;
}

export type Told =
  | (Extract<Heard, { kind: 'answer' | 'problem' }> & {
      /** An earlier try may have been carried out. */
      readonly inDoubt: boolean;
      /** Before the try that brought it. */
      readonly triedMono: number;
    })
  | { readonly kind: 'fault'; readonly fault: RemoteFault };

export interface Ask {
  (asking: Asking): Promise<Told>;
}

export interface AskDeps extends Patience {
  readonly line: Line;
  readonly runtime: Runtime;
  /** Aborted when the ledger is closed for good. */
  readonly closed: AbortSignal;
}

/** At the most, whatever a clock says. */
const triesMax = 1_000;
/** What a caller that waits no longer is still given, to hear what is on record. */
const afterAbortMs = 5_000;

export function createAsk(deps: AskDeps): Ask {
  return async (asking) => {
    const { clock } = deps.runtime;
    const { waitMs: wantedMs = 0 } = asking;
    const waitUntil = clock.monoMs() + wantedMs;
    let giveUpAt = waitUntil + deps.retryForMs;
    let inDoubt = false;
    for (let tries = 1; ; tries += 1) {
      const hasLeft = isAborted(asking.signal);
      if (hasLeft) giveUpAt = Math.min(giveUpAt, clock.monoMs() + afterAbortMs);
      const waitMs = hasLeft ? 0 : Math.max(0, waitUntil - clock.monoMs());
      const triedMono = clock.monoMs();
      const heard = await oneTry(deps, asking, waitMs, hasLeft);
      inDoubt ||= leavesDoubt(heard);
      if (!isWorthAnother(heard)) return told(heard, inDoubt, triedMono);
      // Whoever has just left hears at once what is on record.
      if (!hasLeft && isAborted(asking.signal)) continue;
      const afterMs = pauseBefore(deps.runtime, tries, heard);
      if (isOver(deps, tries, giveUpAt - afterMs)) return told(heard, inDoubt, triedMono);
      await pause(deps, afterMs, hasLeft ? undefined : asking.signal);
    }
  };
}

function leavesDoubt({ kind }: Heard): boolean {
  return kind === 'no answer' || kind === 'stranger';
}

/** @param nextUntil when the next try must have begun */
function isOver({ runtime, closed }: AskDeps, tries: number, nextUntil: number): boolean {
  return tries >= triesMax || closed.aborted || runtime.clock.monoMs() > nextUntil;
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function oneTry(
  { line, answerWithinMs, closed }: AskDeps,
  asking: Asking,
  waitMs: number,
  hasLeft: boolean,
): Promise<Heard> {
  const { waitMs: _given, signal, ...asked } = asking;
  const ends = signal === undefined || hasLeft ? [closed] : [signal, closed];
  if (asking.waitMs === undefined) return tryOnce(line, asked, answerWithinMs, ends);
  // Whole seconds, as RFC 7240 has them.
  const prefer = { prefer: `wait=${Math.ceil(waitMs / 1_000)}` };
  const headers = { ...asked.headers, ...prefer };
  return tryOnce(line, { ...asked, headers }, waitMs + answerWithinMs, ends);
}

/** Over soon, by itself: what needs a person is answered as it is. */
const passing: ReadonlySet<string> = new Set([
  'access.unavailable',
  'gateway.busy',
  'gateway.closing',
  'ledger.closed',
  'ledger.closing',
  'ledger.store-unavailable',
  'request.rate',
  'request.tenant-busy',
  'request.timeout',
  'store.busy',
  'store.closed',
  'store.held',
  'store.io',
  'store.unavailable',
]);

/** Whatever is asked may be said again: a call is the same action, a command names what its author saw. */
function isWorthAnother(heard: Heard): boolean {
  switch (heard.kind) {
    case 'answer':
    case 'redirected':
    case 'tls':
      return false;
    case 'problem':
      return passing.has(heard.problem.code);
    case 'not sent':
    case 'no answer':
      return true;
    case 'stranger':
      // A proxy that cannot reach the ledger says so in words of its own.
      return heard.status >= 500 || heard.status === 429;
  }
}

const firstPauseMs = 200;
const pauseMsMax = 5_000;

/** Full jitter, so that callers do not come back together; never sooner than they were told. */
function pauseBefore({ randomness }: Runtime, tries: number, heard: Heard): number {
  const mostMs = Math.min(pauseMsMax, firstPauseMs * 2 ** Math.min(tries - 1, 10));
  return retryAfterMs(heard) + Math.ceil(randomness.next() * mostMs);
}

function retryAfterMs(heard: Heard): number {
  if (heard.kind !== 'problem' && heard.kind !== 'stranger') return 0;
  const seconds = /^\d{1,6}$/.exec(heard.headers.get('retry-after') ?? '')?.[0];
  return seconds === undefined ? 0 : Number(seconds) * 1_000;
}

function pause(
  { runtime, closed }: AskDeps,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (ms === 0) return Promise.resolve();
  const ends = signal === undefined ? [closed] : [signal, closed];
  return pauseFor(runtime.timers, ms, ends);
}

function told(heard: Heard, inDoubt: boolean, triedMono: number): Told {
  switch (heard.kind) {
    case 'answer':
    case 'problem':
      return { ...heard, inDoubt, triedMono };
    case 'not sent':
      return inDoubt
        ? fault('remote.no-answer', 'unsafe', `${mayBe} Then it could not be reached.`, heard)
        : fault('remote.unreachable', 'safe', 'The ledger could not be reached.', heard);
    case 'no answer':
      return fault('remote.no-answer', 'unsafe', `${mayBe} (${heard.why})`, heard);
    case 'tls':
      return fault(
        'remote.tls',
        heard.sent || inDoubt ? 'unsafe' : 'never',
        'No secure connection: the certificate of the ledger is not trusted here, or it does not speak TLS.',
        heard,
      );
    case 'redirected': {
      const to = heard.to === undefined ? '' : ` to ${heard.to}`;
      const message = `The address leads elsewhere${to}, which is not followed: the key would go there. Name the address of the ledger itself.`;
      return fault('remote.redirected', inDoubt ? 'unsafe' : 'never', message, heard);
    }
    case 'stranger': {
      const message = `What answered (with ${heard.status}) is no ledger: a proxy, or another address. ${mayBe}`;
      return fault('remote.not-a-ledger', 'unsafe', message, heard);
    }
  }
}

const mayBe = 'The ledger did not answer; what was asked may have been carried out.';

function fault(
  code: string,
  retry: 'safe' | 'unsafe' | 'never',
  message: string,
  heard: object,
): Told {
  const { cause, status } = heard as { readonly cause?: unknown; readonly status?: number };
  const more = { cause, ...(status === undefined ? {} : { status }) };
  return { kind: 'fault', fault: new RemoteFault(code, retry, message, more) };
}

/** A problem that is no answer to what was asked: who asks, how, and whether there is anybody to answer. */
export function faultOf({
  problem,
  status,
  inDoubt,
}: {
  readonly problem: Problem;
  readonly status: number;
  readonly inDoubt: boolean;
}): RemoteFault {
  const { code, detail, title } = problem;
  const retry = inDoubt || code === 'gateway.bug' ? 'unsafe' : status >= 429 ? 'safe' : 'never';
  return new RemoteFault(code, retry, detail ?? title, { status });
}
