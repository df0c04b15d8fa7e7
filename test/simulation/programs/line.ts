// The line between one program and the ledgers that take its requests, as its `fetch`: it takes time, loses
// requests and answers, and brings what was given up long ago, once or twice. What has arrived is carried out.
import { type Work } from '@action-ledger/application';
import { type Ledger } from '@action-ledger/client';
import { type Chaos } from '../chaos.ts';
import { type Dice } from '../dice.ts';
import { type Life, never } from '../life.ts';
import { type Answered, answerTo, type Asked, type Principal, workerOf } from './door.ts';
import { type ToldByPrograms } from './told.ts';

export interface LineDeps {
  readonly life: Life;
  readonly who: Principal;
  readonly dice: Dice;
  readonly chaos: Chaos;
  /** Ms of the world. */
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
  /** A process that takes requests now, if there is one. */
  readonly front: (nth: number) => Ledger | undefined;
  readonly told: ToldByPrograms;
  readonly stall: (ms: number) => void;
  /** Resolves when the action is sent the next time. */
  readonly sentNext: (actionId: string) => Promise<void>;
  /** It has been asked to look this action up. */
  readonly onLookup: (actionId: string, lookup: string) => void;
  /** It is of an older kind, which names no lookup with its verdict. */
  readonly namesNoLookup: boolean;
  readonly breach: (what: string) => void;
}

export function lineOf(deps: LineDeps): typeof fetch {
  const { life, dice, chaos, pause } = deps;
  let calls = 0;
  const there = async (place: string, asked: Asked): Promise<Answered> => {
    if (chaos.strikes('program: request late', isWord(asked) ? 0.08 : 0.01, place))
      await pause(dice.between(2_000, 150_000, 'late', place));
    return arrive(deps, place, asked);
  };
  const ask = async (asked: Asked): Promise<Answered> => {
    calls += 1;
    const place = `${life.name} ${calls} ${asked.path}`;
    if (life.is() === 'dead') return never();
    if (
      asked.path.endsWith('/verdict') &&
      chaos.strikes('program: stalled with a verdict', 0.4, place)
    )
      deps.stall(dice.between(60_000, 140_000, 'with a verdict', place));
    await life.pass();
    if (chaos.strikes('program: request lost', 0.01, place)) return never();
    await pause(dice.between(0, 20, 'way', place));
    const isWork = asked.path === 'v1/work';
    if (!isWork && chaos.strikes('program: request twice', twiceChance(asked), place))
      void again(place, asked);
    const answered = await there(place, asked);
    if (chaos.strikes('program: answer lost', isClaim(asked) ? 0.06 : 0.02, place)) return never();
    await pause(dice.between(0, 20, 'back', place));
    const isHanded = answered.body['dispatch'] !== undefined;
    if (isHanded && chaos.strikes('program: stalled with a dispatch', 0.04, place))
      deps.stall(dice.between(15_000, 75_000, 'with it', place));
    await life.pass();
    noteLookups(deps, answered);
    return answered;
  };
  /** A proxy brings it once more, and drops the answer: some of an outcome while the next attempt runs. */
  const again = async (place: string, asked: Asked): Promise<void> => {
    const isOld = isOfFailure(asked) && dice.of('again old', place) < 0.8;
    if (isOld) await deps.sentNext(idIn(asked.path));
    // Some while what it was answered with is under way.
    const laterMs = dice.of('again soon', place) < 0.6 ? 400 : 200_000;
    const mostMs = isOld ? 30 : laterMs;
    await pause(dice.between(1, mostMs, 'again', place));
    await arrive(deps, `${place} again`, asked).catch(() => undefined);
  };
  return ((url: URL, init: RequestInit) => {
    const signal = init.signal as AbortSignal;
    return orAborted(ask(askedOf(url, init, signal)).then(responseOf), signal);
  }) as unknown as typeof fetch;
}

/** What only this program can say. */
function isWord({ path }: Asked): boolean {
  return path.endsWith('/outcome') || path.endsWith('/verdict');
}

function twiceChance(asked: Asked): number {
  if (isClaim(asked)) return 0.25;
  return isOfFailure(asked) ? 0.7 : 0.08;
}

/** There may be another attempt. */
function isOfFailure({ path, body }: Asked): boolean {
  if (!path.endsWith('/outcome')) return false;
  return (body['outcome'] as { readonly kind: string }).kind !== 'succeeded';
}

/** It is answered with a dispatch. */
function isClaim({ method, path }: Asked): boolean {
  return path.endsWith('/claim') || (method === 'POST' && path === 'v1/actions');
}

async function arrive(deps: LineDeps, place: string, asked: Asked): Promise<Answered> {
  const { dice, front, who, told, now, breach } = deps;
  const ledger = front(dice.between(0, 7, 'front', place));
  if (ledger === undefined) throw connectionRefused();
  const askedAt = now();
  note(deps, asked);
  const given =
    asked.path.endsWith('/verdict') && deps.namesNoLookup ? withoutLookup(asked) : asked;
  const answered = await answerTo(ledger, who, given).catch((error: unknown) => {
    breach(`${asked.method} ${asked.path} of ${who.name}: ${String(error)}`);
    throw error;
  });
  if (answered.body['dispatch'] !== undefined)
    told.handedOut((answered.body['actionId'] as string | undefined) ?? idIn(asked.path), askedAt);
  return answered;
}

function withoutLookup({ body: { lookup: _lookup, ...body }, ...asked }: Asked): Asked {
  return { ...asked, body };
}

function note({ told, who }: LineDeps, { path, body }: Asked): void {
  if (!isWord({ path } as Asked)) return;
  const actionId = idIn(path);
  const { kind = '', verdict = '' } = body['outcome'] as { kind?: string; verdict?: string };
  if (path.endsWith('/verdict'))
    told.verdict({
      actionId,
      revision: Number(body['revision']),
      lookup: String(body['lookup']),
      verdict,
    });
  else
    told.outcome({
      actionId,
      worker: workerOf(who, body['worker']),
      claim: Number(body['claim']),
      attempt: Number(body['attempt']),
      kind,
    });
}

function noteLookups({ onLookup }: LineDeps, { body }: Answered): void {
  for (const work of (body['work'] ?? []) as readonly Work[])
    if (work.kind === 'lookup') onLookup(work.actionId, work.lookup);
}

function idIn(path: string): string {
  return decodeURIComponent(path.split('/')[2] ?? '');
}

function askedOf(
  url: URL,
  { method = 'GET', body, headers }: RequestInit,
  signal: AbortSignal,
): Asked {
  const { prefer = '' } = headers as Readonly<Record<string, string>>;
  return {
    method,
    path: url.pathname.slice(1),
    body: typeof body === 'string' ? (JSON.parse(body) as Asked['body']) : {},
    waitMs: Number(/wait=(\d+)/.exec(prefer)?.[1] ?? 0) * 1_000,
    signal,
  };
}

/** As much of a response as is looked at. */
function responseOf({ status, body }: Answered): Response {
  const headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' };
  return {
    status,
    headers: { get: (name: string) => headers[name] ?? null },
    body: [Buffer.from(JSON.stringify(body))],
  } as unknown as Response;
}

function connectionRefused(): Error {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { syscall: 'connect' });
  return new TypeError('fetch failed', { cause });
}

function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error('aborted'));
    });
    work.then(resolve, reject);
  });
}
