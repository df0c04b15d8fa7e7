// Actions and workflows as the HTTP API shows them, as what the embedded ledger hands out: the same members
// under the same names. What is not shown to callers (the claim, secrets' marks) is not there.
import { type Action, type Ending, type JsonValue, type Workflow } from '@action-ledger/domain';
import { RemoteFault } from './remote-fault.ts';
import { unreadable } from './read-answer.ts';

/** An `Action` without what only its ledger needs to know. */
export type RemoteAction = Omit<
  Action,
  | 'absentBefore'
  | 'attempts'
  | 'claim'
  | 'ending'
  | 'reportedSuccess'
  | 'reservedFor'
  | 'secret'
  | 'trace'
  | 'workflow'
> & {
  readonly attempts: readonly Omit<Action['attempts'][number], 'claim' | 'worker'>[];
  readonly ending?: Pick<Ending, 'at' | 'reason' | 'code' | 'detail'> | undefined;
};

interface ShownAction extends Omit<RemoteAction, 'id' | 'status' | 'outcome' | 'ending' | 'watch'> {
  readonly actionId: string;
  readonly state: RemoteAction['status'];
  readonly word: string;
  readonly repeat: boolean;
  readonly messageForModel: string;
  readonly previous?: string;
  readonly result?: JsonValue;
  readonly externalId?: string;
  readonly notes?: readonly string[];
  readonly digest?: string;
  readonly settledAt?: number;
  readonly code?: string;
  readonly reason?: string;
  readonly detail?: JsonValue;
  readonly owner?: 'reconciler' | 'operator';
  readonly nextCheckAt?: number;
}

/** @throws RemoteFault */
export function actionOf(body: unknown): RemoteAction {
  const said = body as Partial<ShownAction>;
  if (typeof said.actionId !== 'string' || typeof said.revision !== 'number') throw unreadable();
  const { actionId: id, state: status, owner, nextCheckAt, ...shown } = said as ShownAction;
  const {
    word: _word,
    repeat: _repeat,
    messageForModel: _message,
    previous: _previous,
    ...rest
  } = shown;
  const { result, externalId, notes, digest, settledAt, code, reason, detail, ...action } = rest;
  const at = settledAt;
  return {
    ...action,
    id,
    status,
    ...(owner === undefined || nextCheckAt === undefined ? {} : { watch: { owner, nextCheckAt } }),
    ...(at === undefined || result === undefined
      ? {}
      : { outcome: { result, at, ...given({ externalId, notes, digest }) } }),
    ...(at === undefined || reason === undefined
      ? {}
      : { ending: { at, reason, ...given({ code, detail }) } }),
  };
}

interface ShownWorkflow extends Omit<Workflow, 'id' | 'watch'> {
  readonly workflow: string;
  readonly word: string;
  readonly repeat: boolean;
  readonly messageForModel: string;
  readonly reason?: string;
  readonly owner?: 'reconciler' | 'operator';
  readonly nextCheckAt?: number;
}

/** @throws RemoteFault */
export function workflowOf(body: unknown): Workflow {
  const said = body as Partial<ShownWorkflow>;
  if (typeof said.workflow !== 'string' || !Array.isArray(said.steps)) throw unreadable();
  const { workflow: id, owner, nextCheckAt, ...shown } = said as ShownWorkflow;
  const {
    word: _word,
    repeat: _repeat,
    messageForModel: _message,
    reason: _reason,
    ...rest
  } = shown;
  return {
    ...rest,
    id,
    ...(owner === undefined || nextCheckAt === undefined ? {} : { watch: { owner, nextCheckAt } }),
  };
}

/** Members that are undefined count as missing. */
export function given<Members extends object>(
  members: Members,
): { [Name in keyof Members]: Exclude<Members[Name], undefined> } {
  const there = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(there) as {
    [Name in keyof Members]: Exclude<Members[Name], undefined>;
  };
}

/** What a ledger says of itself that this client cannot read is a fault, not a guess. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the form of its rows is the gateway's word
export function listIn<Row>(body: unknown, name: string): readonly Row[] {
  const rows = (body as Readonly<Record<string, unknown>>)[name];
  if (Array.isArray(rows)) return rows as readonly Row[];
  throw new RemoteFault('remote.not-a-ledger', 'unsafe', `The answer has no list of ${name}.`);
}
