// One record of `action.proposals` becomes an action, or meets the one that it is, as over HTTP. What is on
// record then is settled, whatever its state: its events say what becomes of it. What can never be, or was
// refused, is put aside with the reason; what the world kept from being recorded is tried again.
import { type Answer, type Core } from '@action-ledger/application';
import { canonicalJson, type Sha256 } from '@action-ledger/domain';
import { type LogRecord, PoisonRecord } from '@action-ledger/event-log';
import { type DecodeProposal, type NamedTool, type ProposalRecord } from '@action-ledger/proposals';

export interface TakeDeps {
  readonly core: Pick<Core, 'ledger' | 'takesSecrets'>;
  readonly decode: DecodeProposal;
  readonly sha256: Sha256;
  /** Undefined: of every tenant. */
  readonly tenants: ReadonlySet<string> | undefined;
  readonly clockSkewMs: number;
  /** What others have appended is known when it resolves. */
  readonly catchUp: () => Promise<void>;
}

/** Nothing is wrong with the record: it is tried until it works. */
class NotNow extends Error {
  readonly retry = 'safe';
}

/** @returns why it is put aside; undefined where it is settled. @throws an outage, or a bug */
export async function takeRecord(
  deps: TakeDeps,
  record: LogRecord,
): Promise<PoisonRecord | undefined> {
  const { value, timestamp } = record;
  if (value === undefined) return aside('request.invalid', 'The record has no value.');
  const decoded = await deps.decode(value);
  if (decoded.kind === 'unreadable')
    return aside(decoded.code, decoded.reason, {
      withoutValue: await mayHaveSecrets(deps, decoded.named),
    });
  const { proposal } = decoded;
  if (isStranger(deps, proposal.tenant))
    return aside('access.forbidden', 'Proposals of this tenant are not taken here.', {
      withoutValue: true,
    });
  // Without it nobody could tell a new call from an old one that was published again.
  if (timestamp === 0)
    return aside('request.invalid', 'The log does not say when it came.', {
      withoutValue: await mayHaveSecrets(deps, proposal),
    });
  return settled(deps, proposal, await propose(deps, proposal, record));
}

function isStranger({ tenants }: TakeDeps, tenant: string): boolean {
  return tenants?.has(tenant) === false;
}

/** Dead letters are kept for long. Of a tenant that is not taken nobody here knows which of its tools have any. */
async function mayHaveSecrets(deps: TakeDeps, { tenant, tool }: NamedTool = {}): Promise<boolean> {
  if (tenant !== undefined && isStranger(deps, tenant)) return true;
  if (tool === undefined) return false;
  const { core, catchUp } = deps;
  const known = core.takesSecrets(tenant ?? '', tool);
  if (known !== undefined) return known;
  // Callers may have declared it since.
  await catchUp();
  return core.takesSecrets(tenant ?? '', tool) ?? false;
}

async function propose(
  deps: TakeDeps,
  proposal: ProposalRecord,
  record: LogRecord,
): Promise<Answer> {
  const answer = await proposeOnce(deps, proposal, record);
  if (answer.code !== 'tool.unknown') return answer;
  // Callers may have declared it since.
  await deps.catchUp();
  return proposeOnce(deps, proposal, record);
}

function proposeOnce(
  { core, sha256, clockSkewMs }: TakeDeps,
  { proposalId, tenant, by, tool, arguments: args, key, ...origin }: ProposalRecord,
  { timestamp, headers }: LogRecord,
): Promise<Answer> {
  const { traceparent, tracestate } = headers;
  const { run = null, turn = null } = origin;
  return core.ledger.propose({
    tool,
    arguments: args,
    tenant,
    origin: { ...origin, call: proposalId },
    request: sha256(canonicalJson(['proposals', run, turn, proposalId])),
    loggedAt: Math.max(0, timestamp - clockSkewMs),
    // The action is on record, or there: who carries it out is no concern of whoever reads the log.
    waitMs: 0,
    ...(by === undefined ? {} : { by }),
    ...(key === undefined ? {} : { key }),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(tracestate === undefined ? {} : { tracestate }),
  });
}

function settled(
  { core }: TakeDeps,
  { tenant, tool }: ProposalRecord,
  answer: Answer,
): PoisonRecord | undefined {
  const { state, code = '', reason = '', differs } = answer;
  if (state !== 'refused') return undefined;
  const options = { withoutValue: core.takesSecrets(tenant, tool) === true };
  switch (code) {
    case 'ledger.closing':
    case 'ledger.recovering':
    case 'ledger.store-unavailable':
    case 'ledger.store-uncertain':
      throw new NotNow(`${code}: ${reason}`);
    case 'ledger.paused':
      // Others go on meanwhile: what is paused must not be in their way.
      if (!isOwnPause(core, tenant, tool)) throw new NotNow(`${code}: ${reason}`);
      return aside(code, reason, options);
    default: {
      const paths = differs?.map(({ path }) => path).join(', ') ?? '';
      return aside(code, paths === '' ? reason : `${reason} It differs in ${paths}.`, options);
    }
  }
}

/** Of this tenant or tool, and not of everything. */
function isOwnPause({ ledger }: TakeDeps['core'], tenant: string, tool: string): boolean {
  const pauses = ledger.pauses();
  const isOfAll = pauses.some((pause) => pause.tenant === undefined && pause.tool === undefined);
  return (
    !isOfAll &&
    pauses.some((pause) => (pause.tenant ?? tenant) === tenant && (pause.tool ?? tool) === tool)
  );
}

function aside(
  code: string,
  reason: string,
  options: ConstructorParameters<typeof PoisonRecord>[1] = {},
): PoisonRecord {
  return new PoisonRecord(`${code}: ${reason}`, options);
}
