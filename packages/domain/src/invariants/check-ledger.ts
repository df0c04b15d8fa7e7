// What must hold across streams: identities, external ids, epochs, links, and what a provider saw.
import { type Action } from '../action/state.ts';
import { actionIdOf, parseActionId, streamOfAction } from '../identity/action-id.ts';
import { type AuditedAction } from './action-trail.ts';
import { type AuditContext, type BrokenInvariant, type InvariantName } from './broken.ts';
import { type Actions, checkLinks } from './check-links.ts';

/** What a provider saw of one downstream key. */
export interface DownstreamTally {
  readonly tenant: string;
  readonly key: string;
  readonly requests: number;
  /** Writes of one absolute value count as one. */
  readonly effects: number;
  /** When the requests arrived, by the ledger's own clock, where both share one. */
  readonly requestsAt?: readonly number[];
}

export interface LedgerContext extends AuditContext {
  /** What the provider knows: only a fake one, or an export, tells it. */
  readonly provider?: readonly DownstreamTally[];
}

/** `actions`: every action of the store, reserved names included; each id once. */
export function checkLedger(
  actions: readonly Action[],
  context: LedgerContext,
): readonly BrokenInvariant[];
/** What a provider saw is compared with whole actions only. */
export function checkLedger(
  actions: readonly AuditedAction[],
  context: AuditContext,
): readonly BrokenInvariant[];
export function checkLedger(
  actions: readonly AuditedAction[],
  context: LedgerContext,
): readonly BrokenInvariant[] {
  const byId = new Map<string, AuditedAction>();
  for (const action of actions) byId.set(action.id, action);
  const { provider } = context;
  return [
    ...checkIdentities(actions),
    ...checkEpochs(byId),
    ...checkExternalIds(actions),
    ...checkLinks(byId, context),
    ...(provider === undefined ? [] : checkProvider(actions as readonly Action[], provider)),
  ];
}

function broken(action: AuditedAction, invariant: InvariantName, detail: string): BrokenInvariant {
  return { stream: streamOfAction(action.id), invariant, detail };
}

/** Those that share their name with another, in groups, each in the order given. */
function sharing<T>(
  items: readonly T[],
  nameOf: (item: T) => string | undefined,
): readonly (readonly [T, ...T[]])[] {
  const firsts = new Map<string, T>();
  // Most names are borne once: a list for each would cost more than all the rest.
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const name = nameOf(item);
    if (name === undefined) continue;
    const first = firsts.get(name);
    if (first === undefined) {
      firsts.set(name, item);
      continue;
    }
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [first, item]);
    else group.push(item);
  }
  return [...groups.values()];
}

/** A caller's key is unique in its tenant; a derived one is the id itself. */
function checkIdentities(actions: readonly AuditedAction[]): readonly BrokenInvariant[] {
  const nameOf = ({ tenant, key, epoch }: AuditedAction): string | undefined =>
    key === undefined ? undefined : JSON.stringify([tenant, key, epoch]);
  return sharing(actions, nameOf).flatMap(([first, ...others]) =>
    others
      .filter(({ argumentsHash }) => argumentsHash !== first.argumentsHash)
      .map((other) =>
        broken(other, 'one-arguments-hash', `${first.id} has its key with other arguments`),
      ),
  );
}

function checkEpochs(actions: Actions): readonly BrokenInvariant[] {
  const name: InvariantName = 'epochs-without-gaps';
  return [...actions.values()].flatMap((action) => {
    const parsed = parseActionId(action.id);
    if (parsed === undefined || action.status === 'reserved') return [];
    const { keyHash, epoch } = parsed;
    if (epoch !== action.epoch)
      return [broken(action, name, `its name says epoch ${epoch}, its events ${action.epoch}`)];
    return epoch === 0 || actions.has(actionIdOf(keyHash, epoch - 1))
      ? []
      : [broken(action, name, `epoch ${epoch} exists without epoch ${epoch - 1}`)];
  });
}

/** Of what was only observed nothing is promised: a call that would have been held back may have the same. */
function checkExternalIds(actions: readonly AuditedAction[]): readonly BrokenInvariant[] {
  const name: InvariantName = 'one-action-per-external-id';
  const promised = actions.filter(({ guarantee }) => guarantee !== 'observed');
  const shared = sharing(promised, ({ tenant, tool, outcome }) =>
    outcome?.externalId === undefined
      ? undefined
      : JSON.stringify([tenant, tool, outcome.externalId]),
  ).flatMap((group) =>
    group.flatMap((action, index) => {
      const other = group.find((each, at) => at < index && !areLinked(each, action));
      const id = action.outcome?.externalId ?? '';
      return other === undefined ? [] : [broken(action, name, `${other.id} has ${id} as well`)];
    }),
  );
  return [...shared, ...actions.flatMap(severalExternalIds)];
}

/** Reported successes name another effect than the recorded one, and nobody was told. */
function severalExternalIds(action: AuditedAction): readonly BrokenInvariant[] {
  if (action.evidence.length === 0) return [];
  const ids = new Set(
    [
      action.outcome?.externalId,
      ...action.evidence
        .filter(({ claims }) => claims === 'success')
        .map((each) => each.externalId),
    ].filter((id) => id !== undefined),
  );
  if (ids.size < 2 || action.duplicates.length > 0) return [];
  const detail = `it has the effects ${[...ids].join(' and ')}, and no duplicate is on record`;
  return [broken(action, 'one-action-per-external-id', detail)];
}

function areLinked(a: AuditedAction, b: AuditedAction): boolean {
  return names(a, b) || names(b, a) || isSameValue(a, b);
}

function names(a: AuditedAction, b: AuditedAction): boolean {
  const { supersededBy, repeatOf, editOf, undoneBy, compensates, compensatedBy, undoes } = a;
  const links = [supersededBy, repeatOf, editOf, undoneBy, compensates, compensatedBy, ...undoes];
  return links.includes(b.id) || a.duplicates.some(({ other }) => other === b.id);
}

/** Absolute writes of one entity keep its external id from epoch to epoch. */
function isSameValue(a: AuditedAction, b: AuditedAction): boolean {
  const keyHash = parseActionId(a.id)?.keyHash;
  return (
    a.guarantee === 'natural' && keyHash !== undefined && keyHash === parseActionId(b.id)?.keyHash
  );
}

function checkProvider(
  actions: readonly Action[],
  provider: readonly DownstreamTally[],
): readonly BrokenInvariant[] {
  const nameOf = (tenant: string, key: string): string => JSON.stringify([tenant, key]);
  const byKey = new Map(
    actions.map((action) => [nameOf(action.tenant, action.downstreamKey ?? ''), action]),
  );
  return provider.flatMap((tally) => {
    const action = byKey.get(nameOf(tally.tenant, tally.key));
    return action === undefined ? [strayRequest(tally)] : checkTally(action, tally);
  });
}

function strayRequest({ tenant, key, requests }: DownstreamTally): BrokenInvariant {
  const detail = `${requests} requests of ${tenant} carry ${key}, which no action has dispatched`;
  return { stream: '', invariant: 'requests-within-attempts', detail };
}

function checkTally(action: Action, tally: DownstreamTally): readonly BrokenInvariant[] {
  const { requests, effects, requestsAt = [] } = tally;
  const { attempts } = action;
  // The record of some requests is lost: how many there were, and when, is not known.
  const isWhole = attempts.every(({ presumed }) => presumed === undefined);
  const dispatchedBy = (at: number): number =>
    attempts.filter(({ dispatchedAt }) => dispatchedAt <= at).length;
  const early = [...requestsAt]
    .sort((a, b) => a - b)
    .some((at, index) => dispatchedBy(at) < index + 1);
  const name: InvariantName = 'requests-within-attempts';
  return [
    ...(isWhole && requests > attempts.length
      ? [broken(action, name, `${requests} requests for ${attempts.length} attempts`)]
      : []),
    ...(isWhole && early && requests <= attempts.length
      ? [broken(action, name, 'a request arrived before its dispatch')]
      : []),
    ...(effects > 1 ? [broken(action, 'effects-at-most-one', `it had ${effects} effects`)] : []),
  ];
}
