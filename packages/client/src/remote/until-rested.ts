// An action that is waited for: held by the ledger as long as the caller waits, in as many requests as that
// takes, or carried out in this process meanwhile.
import { type Answer } from '@action-ledger/domain';
import { type Clock, type Runtime } from '@action-ledger/runtime';
import { type Ask, type Asking, type Told } from './ask.ts';
import { type Prepared, type ShownArguments } from './own-tools.ts';
import { answerAbout, answerIn, proposalAnswer } from './read-answer.ts';
import { given } from './shown.ts';

export interface RestDeps {
  readonly ask: Ask;
  readonly runtime: Runtime;
}

/** As long as a tool of the usual times is waited for in its own process. */
const waitMsUsual = 40_000;
/** In one request: below the minute after which many a proxy cuts the line. */
export const waitMsMax = 50_000;

export function pathOf(actionId: string, command = ''): string {
  return `v1/actions/${encodeURIComponent(actionId)}${command}`;
}

/** What is this program's part in it, if it has one. */
type Part = Pick<ShownArguments, 'hold'> & Partial<Pick<Prepared, 'begin'>>;

/** @throws RemoteFault, where nothing is said about what was asked */
export async function untilRested(
  deps: RestDeps,
  tool: string,
  asking: Asking,
  part: Part = {},
): Promise<Answer> {
  const { ask, runtime } = deps;
  const { clock } = runtime;
  const { waitMs = waitMsUsual, signal } = asking;
  const until = clock.monoMs() + waitMs;
  let { answer, isHeldOnly } = await firstAnswer(deps, tool, { ...asking, waitMs }, part);
  const { repeat, actionId } = answer;
  while (isHeldOnly && until > clock.monoMs() && signal?.aborted !== true) {
    const left = Math.min(until - clock.monoMs(), waitMsMax);
    const look = { method: 'GET', path: pathOf(actionId ?? ''), waitMs: left } as const;
    const { told, ...more } = await held(ask, clock, { ...look, ...given({ signal }) });
    // What was known before is as true as it was.
    if (told.kind !== 'answer') return answer;
    part.hold?.(answerIn(told.body));
    // Another action has its place: the proposal leads there.
    if (told.body['supersededBy'] !== undefined)
      return proposalAnswer(tool, await ask({ ...asking, waitMs: left }));
    answer = answerAbout(answerIn(told.body), { repeat });
    isHeldOnly = more.isHeldOnly;
  }
  return answer;
}

interface Known {
  readonly answer: Answer;
  /** It may still come to rest within the wait. */
  readonly isHeldOnly: boolean;
}

async function firstAnswer(
  deps: RestDeps,
  tool: string,
  asking: Asking & { readonly waitMs: number },
  { hold, begin }: Part,
): Promise<Known> {
  const { ask, runtime } = deps;
  const until = runtime.clock.monoMs() + asking.waitMs;
  // What only this process can carry out has to be known here before it is waited for.
  const waitMs = hold === undefined ? Math.min(asking.waitMs, waitMsMax) : 0;
  const first = await held(ask, runtime.clock, { ...asking, waitMs });
  const carried = begin?.(first.told);
  const answer = proposalAnswer(tool, first.told);
  const { actionId, repeat } = answer;
  if (carried === undefined) {
    hold?.(answer);
    return { answer, isHeldOnly: first.isHeldOnly && actionId !== undefined };
  }
  const came = await within(runtime, carried, until, asking.signal);
  if (came !== undefined) return { answer: came, isHeldOnly: unfinished.has(came.word) };
  // What was handed out with it is none of its caller's.
  const known = answerAbout(answer, { repeat });
  const now = asking.waitMs === 0 ? known : await lookedAt(ask, known);
  return { answer: now, isHeldOnly: false };
}

/** Undefined: the caller waits no longer, or it could not be told. */
function within(
  { clock, timers }: Runtime,
  carried: Promise<Answer | undefined>,
  until: number,
  signal: AbortSignal | undefined,
): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const end = (answer?: Answer): void => {
      timer.cancel();
      signal?.removeEventListener('abort', leave);
      resolve(answer);
    };
    const leave = (): void => {
      end();
    };
    const leftMs = Math.max(0, until - clock.monoMs());
    const timer = timers.after(leftMs, leave, { keepsAlive: true });
    signal?.addEventListener('abort', leave, { once: true });
    if (signal?.aborted === true) leave();
    carried.then(end, leave);
  });
}

/** What is on record now; what was known before, where that is not heard. */
async function lookedAt(ask: Ask, known: Answer): Promise<Answer> {
  const { actionId, repeat } = known;
  if (actionId === undefined) return known;
  const look = { method: 'GET', path: pathOf(actionId), waitMs: 0 } as const;
  const told = await ask(look).catch(() => undefined);
  return told?.kind === 'answer' ? answerAbout(answerIn(told.body), { repeat }) : known;
}

export interface Held {
  readonly told: Told;
  /** Not finished only because the ledger was asked to hold it no longer: not at rest. */
  readonly isHeldOnly: boolean;
}

const unfinished: ReadonlySet<unknown> = new Set([
  'in-progress',
  'checking',
  'waiting-for-approval',
]);

export async function held(ask: Ask, clock: Clock, asking: Asking): Promise<Held> {
  const askedAt = clock.monoMs();
  const told = await ask(asking);
  if (told.kind !== 'answer' || !unfinished.has(told.body['word']))
    return { told, isHeldOnly: false };
  // The ledger may hold it for less than it was asked to, and says so.
  const applied = /wait=(\d+)/.exec(told.headers.get('preference-applied') ?? '')?.[1];
  const heldMs = applied === undefined ? (asking.waitMs ?? 0) : Number(applied) * 1_000;
  return { told, isHeldOnly: clock.monoMs() - askedAt >= heldMs };
}
