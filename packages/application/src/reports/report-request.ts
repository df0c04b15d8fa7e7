// A report by what the provider knows an action by: which names it gives, whose they are, and which
// action it is about by them.
import { type JsonValue, parseActionId, type Refusal, refusal } from '@action-ledger/domain';
import { type ActionIndex, type ProviderName, providerNameText } from '../record/action-index.ts';
import { type EvidenceReport } from './evidence-report.ts';

/** What it is about: one of `action`, `downstreamKey`, `reference`, or the report's `externalId` with `tool`. */
export interface ReportAbout {
  readonly tenant: string;
  /** Whose provider says so: needed with `externalId`, and to take `reference` for an id of the provider. */
  readonly tool?: string;
  readonly action?: string;
  /** The key that was sent downstream. */
  readonly downstreamKey?: string;
  /** The downstream key, or (with `tool`) the provider's own id, where it is not known which. */
  readonly reference?: string;
}

export type EvidenceRequest = EvidenceReport & ReportAbout;

export const reportRefusalCodes = [
  'evidence.other-action',
  'evidence.too-large',
  'evidence.too-many',
] as const;

export type ReportRefusalCode = (typeof reportRefusalCodes)[number];

/** Each once, what says most first. */
export function namesIn(request: EvidenceRequest): readonly ProviderName[] {
  const { tenant, tool, downstreamKey, reference, externalId } = request;
  const keys = [downstreamKey, reference].filter((value) => value !== undefined);
  const ids = tool === undefined ? [] : [reference, externalId].filter((id) => id !== undefined);
  const names: readonly ProviderName[] = [
    ...keys.map((value) => ({ as: 'downstream key', tenant, value }) as const),
    ...ids.map((value) => ({ as: 'external id', tenant, tool: tool ?? '', value }) as const),
  ];
  return [...new Map(names.map((name) => [providerNameText(name), name])).values()];
}

export type Named =
  | { readonly kind: 'action'; readonly action: string }
  | { readonly kind: 'none' }
  | Refusal<ReportRefusalCode>;

/** The one action that all names which are known here lead to. */
export function actionNamed(index: ActionIndex, request: EvidenceRequest): Named {
  const { action } = request;
  if (action !== undefined && parseActionId(action) === undefined)
    return { kind: 'action', action };
  const given = action === undefined ? [] : [action];
  const found = new Set([...given, ...namesIn(request).flatMap((name) => index.knownAs(name))]);
  const [first, second] = found;
  if (second !== undefined)
    return refusal(
      'evidence.other-action',
      'Nothing was recorded: what the report names belongs to more than one action. Name the action alone.',
    );
  return first === undefined ? { kind: 'none' } : { kind: 'action', action: first };
}

/** The report alone, without what it is about; what is undefined is left out. */
export function reportIn(request: EvidenceRequest): EvidenceReport {
  const { source, claims, proven, neverHadEffect, id, attempt, externalId, data } = request;
  return {
    source,
    claims,
    proven,
    ...(neverHadEffect === undefined ? {} : { neverHadEffect }),
    ...(id === undefined ? {} : { id }),
    ...(attempt === undefined ? {} : { attempt }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(data === undefined ? {} : { data }),
  };
}

/** What it is about as it is kept: as names that an action may come to bear. */
export function aboutIn(request: EvidenceRequest): Omit<ReportAbout, 'action'> {
  const { tenant, tool, downstreamKey, reference } = request;
  return {
    tenant,
    ...(tool === undefined ? {} : { tool }),
    ...(downstreamKey === undefined ? {} : { downstreamKey }),
    ...(reference === undefined ? {} : { reference }),
  };
}

/** Two reports are one where this is equal: by the reporter's own id, or word for word. */
export function samenessOf(request: EvidenceRequest): JsonValue {
  const { source, claims, id } = request;
  const names = namesIn(request).map(providerNameText);
  return id === undefined
    ? [names, { ...reportIn(request) }]
    : [names, { source, claims, id, proven: request.proven }];
}
