// What a gateway answers to programs that carry actions out themselves, over the ledger of one process: the
// same paths, codes and bodies, without HTTP.
import { type Answer, answerFor } from '@action-ledger/application';
import { type Ledger, LedgerError, StoreFault } from '@action-ledger/client';
import { type Refusal } from '@action-ledger/domain';

export interface Asked {
  readonly method: string;
  /** From `v1/` on. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

export interface Answered {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** As its key says. */
export interface Principal {
  readonly tenant: string;
  readonly name: string;
}

/** Whose claim it is. */
export function workerOf({ name }: Principal, worker: unknown): string {
  return JSON.stringify([name, worker]);
}

/** @throws what is a bug of the ledger */
export async function answerTo(ledger: Ledger, who: Principal, asked: Asked): Promise<Answered> {
  try {
    return await handle(ledger, who, asked);
  } catch (fault) {
    if (!(fault instanceof StoreFault) && !(fault instanceof LedgerError)) throw fault;
    return problem(503, fault.code, fault.message);
  }
}

function handle(ledger: Ledger, who: Principal, asked: Asked): Promise<Answered> {
  switch (`${asked.method} ${asked.path}`) {
    case 'POST v1/tools':
      return declare(ledger, who, asked);
    case 'POST v1/work':
      return findWork(ledger, who, asked);
    case 'POST v1/actions':
      return propose(ledger, who, asked);
    default:
      return ofAction(ledger, who, asked);
  }
}

async function declare(ledger: Ledger, who: Principal, { body }: Asked): Promise<Answered> {
  const { tenant, name: by } = who;
  const declarations = body['tools'] as Parameters<
    Ledger['callers']['register']
  >[0]['declarations'];
  const registered = await ledger.callers.register({ tenant, by, declarations });
  return 'kind' in registered ? refused(registered) : { status: 200, body: { tenant, tools: [] } };
}

async function findWork(ledger: Ledger, { tenant }: Principal, asked: Asked): Promise<Answered> {
  const { body, waitMs, signal } = asked;
  const { tools, max } = body as { readonly tools: readonly string[]; readonly max: number };
  const work = await ledger.callers.work({ tenant, tools, max, holding: [], waitMs, signal });
  return { status: 200, body: { work } };
}

interface Proposed {
  readonly tool: string;
  readonly arguments: unknown;
  readonly run: string;
  readonly turn: string;
  readonly call: string;
  readonly key?: string;
  readonly worker: string;
}

async function propose(ledger: Ledger, who: Principal, asked: Asked): Promise<Answered> {
  const { waitMs, signal } = asked;
  const { tool, arguments: args, run, turn, call, key, worker } = asked.body as unknown as Proposed;
  const { answer, dispatch } = await ledger.callers.propose({
    tool,
    arguments: args,
    tenant: who.tenant,
    by: who.name,
    origin: { run, turn, call },
    waitMs,
    signal,
    execute: { worker: workerOf(who, worker) },
    ...(key === undefined ? {} : { key }),
  });
  if (answer.state === 'refused' && answer.word !== 'checking') return refusedProposal(answer);
  const body = { ...answer, ...(dispatch === undefined ? {} : { dispatch }) };
  return { status: 200, body };
}

function refusedProposal(answer: Answer): Answered {
  const { code = '', reason = '' } = answer;
  const { status, body } = problem(code.startsWith('ledger.') ? 503 : 422, code, reason);
  return { status, body: { ...body, answer } };
}

async function ofAction(ledger: Ledger, who: Principal, asked: Asked): Promise<Answered> {
  const { method, path, waitMs } = asked;
  const [, encoded = '', command] = /^v1\/actions\/([^/]+)(?:\/(.+))?$/.exec(path) ?? [];
  const actionId = decodeURIComponent(encoded);
  const loaded = await ledger.load(actionId);
  if (loaded.kind === 'broken') return broken;
  if (loaded.action.tenant !== who.tenant) return problem(404, 'action.unknown', 'no such action');
  if (method === 'GET') {
    const rested = waitMs === 0 ? loaded.action : await ledger.rest(actionId, waitMs);
    const { supersededBy } = rested ?? {};
    const answer = answerFor(rested ?? loaded.action, { repeat: true });
    return {
      status: 200,
      body: { ...answer, ...(supersededBy === undefined ? {} : { supersededBy }) },
    };
  }
  return commanded(ledger, who, { ...asked, actionId, command: command ?? '' });
}

async function commanded(
  { callers }: Ledger,
  who: Principal,
  {
    body,
    actionId,
    command,
    path,
  }: Asked & { readonly actionId: string; readonly command: string },
): Promise<Answered> {
  const { claim = -1, attempt = -1 } = body as { readonly claim?: number; attempt?: number };
  const worker = workerOf(who, body['worker']);
  switch (command) {
    case 'claim': {
      const dispatch = await callers.take(actionId, { worker });
      return { status: 200, body: dispatch === undefined ? {} : { dispatch } };
    }
    case 'claim/extend':
      return came(await callers.extend({ actionId, worker, claim }));
    case 'outcome': {
      const outcome = body['outcome'] as Parameters<typeof callers.outcome>[0]['outcome'];
      return came(
        await callers.outcome({ actionId, worker, by: who.name, claim, attempt, outcome }),
      );
    }
    case 'verdict': {
      const { revision, lookup, outcome } = body as unknown as Said;
      const told = { actionId, revisionRead: revision, outcome };
      return came(await callers.verdict(lookup === undefined ? told : { ...told, lookup }));
    }
    default:
      throw new Error(`a program asks for ${path}`);
  }
}

interface Said {
  readonly revision: number;
  readonly lookup?: string;
  readonly outcome: Parameters<Ledger['callers']['verdict']>[0]['outcome'];
}

function came(
  answered: { readonly kind: string } | Refusal | { readonly kind: 'broken' },
): Answered {
  if (answered.kind === 'broken') return broken;
  if (answered.kind === 'refusal') return refused(answered as Refusal);
  return { status: 200, body: { ...answered } };
}

function refused({ code, message }: Refusal): Answered {
  if (code === 'action.unknown') return problem(404, code, message);
  return problem(code === 'action.stale-revision' ? 412 : 409, code, message);
}

const broken = problem(503, 'stream.broken', 'its record is damaged');

function problem(status: number, code: string, detail: string): Answered {
  const type = `urn:action-ledger:problem:${code}`;
  return { status, body: { type, title: code, status, code, detail } };
}
